"""Connect to Milvus, and translate whatever goes wrong with it into our own sentences."""

from __future__ import annotations

import logging
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from superbiz_cli.adapters.milvus_store.engine import Engine, open_engine, quiet_libraries
from superbiz_cli.adapters.milvus_store.options import MilvusOptions
from superbiz_cli.knowledge.ports import StoreUnavailable

_LOW_DISK_BYTES = 32 * 1024 * 1024

_log = logging.getLogger(__name__)


class Connection:
    """A client of Milvus, and the embedded engine behind it if there is one."""

    def __init__(self, options: MilvusOptions, *, writes: bool) -> None:
        """Connect. Raises StoreLocked, StoreUnavailable."""
        self.options = options
        self._engine: Engine | None = None
        self.client: Any = None
        if options.uri is None:
            self._engine = open_engine(options.folder, writes=writes)
        try:
            self.client = self._connect()
        except BaseException:
            self.close()
            raise

    @property
    def is_own_engine(self) -> bool:
        """Whether the engine runs in this process."""
        return self._engine is not None and self._engine.is_own

    def close(self) -> None:
        """Close the connection and the engine."""
        if self.client is not None:
            try:
                self.client.close()
            except Exception as error:  # closing is best effort
                _log.warning("the connection to Milvus did not close: %s", type(error).__name__)
            self.client = None
        if self._engine is not None:
            self._engine.close()
            self._engine = None

    @contextmanager
    def errors(self, doing: str) -> Iterator[None]:
        """Turn a failure of Milvus in the body into StoreUnavailable. `doing` completes "cannot be ..."."""
        try:
            yield
        except StoreUnavailable:
            raise
        except Exception as error:
            _log.warning("knowledge cannot be %s: %s", doing, type(error).__name__)
            raise StoreUnavailable(f"The knowledge store cannot be {doing}.", hint=self._hint()) from error

    def _connect(self) -> Any:
        quiet_libraries()  # before the import: gRPC reads its environment once
        from pymilvus import MilvusClient

        quiet_libraries()  # after it: the import sets up loggers of its own

        options = self.options
        address = self._engine.address if self._engine else str(options.uri)
        secure: dict[str, Any] = {}
        if options.tls is not None and self._engine is None:
            tls = options.tls
            secure = {
                "secure": True,
                "ca_pem_path": tls.ca_file,
                "client_pem_path": tls.cert_file,
                "client_key_path": tls.key_file,
                "server_name": tls.server_name,
            }
        with self.errors("reached"):
            return MilvusClient(
                uri=address,
                token="" if self._engine else options.token,
                db_name="" if self._engine else options.database,
                timeout=options.timeout_s,
                dedicated=True,
                **secure,
            )

    def _hint(self) -> str:
        if self._engine is None:
            return "check [knowledge] uri, token_env and tls, and that the Milvus server is running"
        if free_bytes(self.options.folder) < _LOW_DISK_BYTES:
            return f"the disk of {self.options.folder} is full: free some space and run the command again"
        return "run the command again; if it fails again, superbiz kb rebuild makes the collection anew"


def free_bytes(folder: Path) -> int:
    """Return the free bytes of the disk that holds `folder`."""
    try:
        return shutil.disk_usage(folder).free
    except OSError:
        return 0
