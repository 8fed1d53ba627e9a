"""The embedded engine: Milvus Lite in this process, behind a Unix socket that only its user can open.

Milvus Lite by itself listens on a TCP port of the loopback interface without any authentication: every
user of the machine could read and change the knowledge. A socket in a folder of mode 0700 cannot be
reached by others. Where there are no Unix sockets (Windows) the loopback port remains; see SECURITY.md.

The engine's folder can be held by one process at a time. A second process that only reads joins the
first one's engine through its socket; one that writes waits a little and is then told who holds it.
"""

from __future__ import annotations

import json
import logging
import os
import sys
import tempfile
import time
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from superbiz_cli.knowledge.ports import StoreLocked, StoreUnavailable

STORE_FOLDER = "store"
NOTICE_FILE = "engine.json"
SOCKET_FILE = "engine.sock"
LOCK_WAIT_S = 1.5
_RETRY_S = 0.05
_MAX_SOCKET_PATH_BYTES = 100
_MEMTABLE_BYTES = 24 * 1024 * 1024
_WORKERS = 4
_MAX_MESSAGE_BYTES = 256 * 1024 * 1024
_CLOSING_S = 1.0
_QUIET_LOGGERS = ("pymilvus", "milvus_lite", "grpc", "faiss")

_log = logging.getLogger(__name__)


@dataclass(slots=True)
class Engine:
    """Where to connect, and what to stop afterwards if the engine runs in this process."""

    address: str
    stop: Callable[[], None]
    is_own: bool

    def close(self) -> None:
        """Stop the engine if it is ours, and release its folder."""
        self.stop()


def open_engine(folder: Path, *, writes: bool, wait_s: float = LOCK_WAIT_S) -> Engine:
    """Start the engine on `folder`, or join the one that another process of this user runs.

    A writer never joins: the other process may end at any time. Raises StoreLocked after `wait_s`,
    StoreUnavailable if the folder cannot be used.
    """
    give_up_at = time.monotonic() + wait_s
    _prepare(folder)
    while True:
        engine = _start(folder)
        if engine is None and not writes:
            engine = _join(folder)
        if engine is not None:
            return engine
        if time.monotonic() >= give_up_at:
            raise StoreLocked(holder_of(folder))
        time.sleep(_RETRY_S)


def holder_of(folder: Path) -> int | None:
    """Return the process that holds the engine's folder, as the kernel or the process itself says."""
    lock = folder / STORE_FOLDER / "LOCK"
    with suppress(OSError, ValueError, IndexError):
        inode = str(lock.stat().st_ino)
        for line in Path("/proc/locks").read_text(encoding="ascii").splitlines():
            fields = line.split()
            if fields[1] == "FLOCK" and fields[5].rpartition(":")[2] == inode:
                return int(fields[4])
    notice = _notice(folder)
    return notice[0] if notice else None


def exists(folder: Path) -> bool:
    """Whether an engine has ever been started on `folder`; nothing heavy is imported."""
    return (folder / STORE_FOLDER / "collections").is_dir()


def _prepare(folder: Path) -> None:
    try:
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        folder.chmod(0o700)
        (folder / STORE_FOLDER).mkdir(mode=0o700, exist_ok=True)
    except OSError as error:
        raise StoreUnavailable(
            f"The knowledge folder {folder} cannot be used.",
            hint="set SUPERBIZ_HOME to a folder that you can write",
        ) from error


def _start(folder: Path) -> Engine | None:
    """Start an engine in this process; None if another process holds the folder."""
    os.environ.setdefault("MILVUS_LITE_MEMTABLE_MEMORY_LIMIT_BYTES", str(_MEMTABLE_BYTES))
    quiet_libraries()
    from milvus_lite.db import MilvusLite
    from milvus_lite.exceptions import DataDirLockedError

    try:
        database = MilvusLite(str(folder / STORE_FOLDER))
    except DataDirLockedError:
        return None
    except Exception as error:
        _log.warning("the embedded engine cannot be opened: %s", type(error).__name__)
        raise StoreUnavailable(
            f"The knowledge store in {folder} cannot be opened.",
            hint=f"is the disk full? else move {folder} away and ingest again",
        ) from error
    try:
        return _serve(folder, database)
    except BaseException:
        database.close()
        raise


def _serve(folder: Path, database: Any) -> Engine:
    from concurrent.futures import ThreadPoolExecutor

    import grpc  # type: ignore[import-untyped]
    from milvus_lite.adapter.grpc.servicer import MilvusServicer
    from pymilvus.grpc_gen import milvus_pb2_grpc

    limits = [
        ("grpc.max_receive_message_length", _MAX_MESSAGE_BYTES),
        ("grpc.max_send_message_length", _MAX_MESSAGE_BYTES),
    ]
    server = grpc.server(ThreadPoolExecutor(max_workers=_WORKERS), options=limits)
    milvus_pb2_grpc.add_MilvusServiceServicer_to_server(MilvusServicer(database), server)
    address, remove = _listen(folder, server)
    server.start()
    _write_notice(folder, address)

    def stop() -> None:
        with suppress(OSError):
            (folder / NOTICE_FILE).unlink()
        server.stop(_CLOSING_S).wait(_CLOSING_S)
        database.close()
        remove()

    return Engine(address, stop, is_own=True)


def _listen(folder: Path, server: Any) -> tuple[str, Callable[[], None]]:
    if sys.platform == "win32":
        port = server.add_insecure_port("127.0.0.1:0")
        return f"http://127.0.0.1:{port}", lambda: None
    path, remove = _socket_path(folder)
    before = os.umask(0o077)
    try:
        bound = server.add_insecure_port(f"unix:{path}")
    finally:
        os.umask(before)
    if not bound:
        raise StoreUnavailable(
            f"The engine cannot listen at {path}.", hint="check the permissions of its folder"
        )
    return f"unix:{path}", remove


def _socket_path(folder: Path) -> tuple[Path, Callable[[], None]]:
    """Return where the socket is, in a private folder. The kernel allows about 100 bytes for the path."""
    path = folder.absolute() / SOCKET_FILE
    if len(os.fsencode(path)) <= _MAX_SOCKET_PATH_BYTES:
        with suppress(FileNotFoundError):
            path.unlink()
        return path, lambda: path.unlink(missing_ok=True)
    short = Path(tempfile.mkdtemp(prefix="superbiz-"))

    def remove() -> None:
        (short / SOCKET_FILE).unlink(missing_ok=True)
        with suppress(OSError):
            short.rmdir()

    return short / SOCKET_FILE, remove


def _join(folder: Path) -> Engine | None:
    """Return the engine that another process announced, if it still answers."""
    notice = _notice(folder)
    if notice is None or not _answers(notice[1]):
        return None
    return Engine(notice[1], lambda: None, is_own=False)


def _answers(address: str) -> bool:
    if not address.startswith("unix:"):
        return True
    import socket

    with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as probe:
        probe.settimeout(0.5)
        try:
            probe.connect(address.removeprefix("unix:"))
        except OSError:
            return False
    return True


def _write_notice(folder: Path, address: str) -> None:
    path = folder / NOTICE_FILE
    fresh = path.with_suffix(f".{os.getpid()}")
    fresh.write_text(json.dumps({"pid": os.getpid(), "address": address}), encoding="utf-8")
    fresh.chmod(0o600)
    fresh.replace(path)


def _notice(folder: Path) -> tuple[int, str] | None:
    try:
        notice = json.loads((folder / NOTICE_FILE).read_text(encoding="utf-8"))
        return int(notice["pid"]), str(notice["address"])
    except (OSError, ValueError, KeyError, TypeError):
        return None


def quiet_libraries() -> None:
    """Keep the client and the engine from writing to stderr; what matters is reported by us."""
    os.environ.setdefault("GRPC_VERBOSITY", "NONE")
    for name in _QUIET_LOGGERS:
        logging.getLogger(name).setLevel(logging.CRITICAL + 1)
