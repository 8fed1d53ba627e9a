"""Where the audit database is: a file, or a MySQL/MariaDB server by URL."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from sqlalchemy.engine import URL, make_url
from sqlalchemy.exc import ArgumentError

from superbiz_cli.harness.audit.failure import AuditFault, AuditUnavailable

_SERVERS = {"mysql", "mariadb"}
_SCHEMES = "use sqlite:///FILE or mysql://USER@HOST/DATABASE?password_env=NAME for audit.url"


@dataclass(frozen=True, slots=True)
class Address:
    """A checked address. `where` names it without credentials; `file` is None for a server."""

    url: URL
    where: str
    file: Path | None


def parse_address(target: Path | str, *, environ: Mapping[str, str]) -> Address:
    """Read a file path or a URL. A password may be named by `?password_env=NAME`.

    Raises AuditUnavailable MISCONFIGURED.
    """
    if isinstance(target, Path):
        return _file_address(target)
    try:
        url = make_url(target)
    except (ArgumentError, ValueError):
        raise _misconfigured("audit.url is not a database address.") from None
    match url.get_backend_name():
        case "sqlite":
            if not url.database or url.database == ":memory:" or url.query:
                raise _misconfigured("audit.url names no SQLite file.")
            return _file_address(Path(url.database).expanduser())
        case backend if backend in _SERVERS:
            return _server_address(url, backend, environ)
        case _:
            raise _misconfigured("audit.url names a kind of database that is not supported.")


def _file_address(path: Path) -> Address:
    absolute = path.absolute()
    return Address(URL.create("sqlite", database=str(absolute)), where=str(absolute), file=absolute)


def _server_address(url: URL, backend: str, environ: Mapping[str, str]) -> Address:
    if not url.database:
        raise _misconfigured("audit.url names no database.")
    query = dict(url.query)
    variable = query.pop("password_env", None)
    query["charset"] = "utf8mb4"
    resolved = url.set(drivername=f"{backend}+pymysql", query=query)
    if variable is not None:
        password = environ.get(str(variable))
        if not password:
            raise _misconfigured(
                f"The environment variable {variable}, named by audit.url, is not set.",
                remedy=f"set {variable} to the password of the audit database",
            )
        resolved = resolved.set(password=password)
    where = f"{url.host or 'localhost'}:{url.port or 3306}/{url.database}"
    return Address(resolved, where=where, file=None)


def _misconfigured(sentence: str, *, remedy: str = _SCHEMES) -> AuditUnavailable:
    return AuditUnavailable(AuditFault.MISCONFIGURED, where="audit.url", sentence=sentence, remedy=remedy)
