"""A MariaDB of a test's own on another port, with certificates that an authority of its own has signed."""

from __future__ import annotations

import os
import shutil
import socket
import subprocess
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import pymysql
import pytest

START_S = 30.0
POLL_S = 0.05
NAME = "localhost"


@dataclass(frozen=True, slots=True)
class PrivateServer:
    """`ca_file` has signed the server's certificate, which names `localhost`; `other_ca` has not."""

    host: str
    port: int
    ca_file: Path
    other_ca: Path

    def execute(self, *statements: str) -> None:
        connection = pymysql.connect(host=self.host, port=self.port, user="root", autocommit=True)
        try:
            for statement in statements:
                connection.query(statement)
        finally:
            connection.close()


@contextmanager
def private_server(folder: Path) -> Iterator[PrivateServer]:
    """Start it in `folder`; root has no password. Skips where mariadbd or openssl is not installed."""
    for program in ("mariadbd", "mariadb-install-db", "openssl"):
        if shutil.which(program) is None:
            pytest.skip(f"{program} is not installed")
    ca_file, other_ca = (_authority(folder, name) for name in ("ca", "other"))
    _certificate(folder, ca_file)
    port = _free_port()
    process = _start(folder, ca_file, port)
    server = PrivateServer("127.0.0.1", port, ca_file, other_ca)
    try:
        _wait_for(server, process)
        yield server
    finally:
        process.terminate()
        process.wait(START_S)


def _start(folder: Path, ca_file: Path, port: int) -> subprocess.Popen[bytes]:
    data = folder / "data"
    user = ["--user=root"] if os.geteuid() == 0 else []
    install = ["mariadb-install-db", "--no-defaults", f"--datadir={data}", *user]
    _run(*install, "--auth-root-authentication-method=normal", "--skip-test-db", "--skip-name-resolve")
    return subprocess.Popen(
        [
            *("mariadbd", "--no-defaults", f"--datadir={data}", f"--port={port}", *user),
            *("--bind-address=127.0.0.1", f"--socket={folder / 'mysql.sock'}", "--skip-name-resolve"),
            *(f"--ssl-ca={ca_file}", f"--ssl-cert={folder / 'server.pem'}"),
            *(f"--ssl-key={folder / 'server.key'}", "--innodb-buffer-pool-size=16M"),
        ],
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )


def _authority(folder: Path, name: str) -> Path:
    certificate = folder / f"{name}.pem"
    key = folder / f"{name}.key"
    _run(
        *("openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2", "-subj", f"/CN={name}"),
        *("-keyout", str(key), "-out", str(certificate)),
    )
    return certificate


def _certificate(folder: Path, ca_file: Path) -> None:
    request, extensions = folder / "server.csr", folder / "server.ext"
    extensions.write_text(f"subjectAltName=DNS:{NAME}\n", "utf-8")
    _run(
        *("openssl", "req", "-newkey", "rsa:2048", "-nodes", "-subj", f"/CN={NAME}"),
        *("-keyout", str(folder / "server.key"), "-out", str(request)),
    )
    _run(
        *("openssl", "x509", "-req", "-days", "2", "-in", str(request), "-CA", str(ca_file)),
        *("-CAkey", str(ca_file.with_suffix(".key")), "-CAcreateserial"),
        *("-extfile", str(extensions), "-out", str(folder / "server.pem")),
    )


def _run(*command: str) -> None:
    done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=60)
    assert done.returncode == 0, done.stderr


def _free_port() -> int:
    with socket.create_server(("127.0.0.1", 0)) as probe:
        return int(probe.getsockname()[1])


def _wait_for(server: PrivateServer, process: subprocess.Popen[bytes]) -> None:
    tick = threading.Event()
    for _ in range(int(START_S / POLL_S)):
        assert process.poll() is None, "the server ended at once"
        try:
            server.execute("SELECT 1")
        except pymysql.err.OperationalError:
            tick.wait(POLL_S)
        else:
            return
    pytest.fail("the server did not start")
