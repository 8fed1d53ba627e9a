"""Least privilege: the grants of a fitting account, and what an account has beyond them."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from enum import StrEnum

from superbiz_cli.harness.tool.mysql.contract import DataSource
from superbiz_cli.harness.tool.mysql.sensitive import is_sensitive_name


class FindingKind(StrEnum):
    """What is wrong with an account or an allow-list."""

    CAN_WRITE = "CAN_WRITE"
    CAN_ADMINISTER = "CAN_ADMINISTER"
    READS_BEYOND = "READS_BEYOND"
    CANNOT_READ = "CANNOT_READ"
    SENSITIVE_COLUMN = "SENSITIVE_COLUMN"
    UNKNOWN_GRANT = "UNKNOWN_GRANT"


@dataclass(frozen=True, slots=True)
class AccountFinding:
    """One thing to tell the person who configured the account. `text` holds no secret."""

    kind: FindingKind
    text: str


_GRANT = re.compile(
    r"GRANT (?P<privileges>.+?) ON (?:(?:TABLE|FUNCTION|PROCEDURE|PACKAGE) )?(?P<place>\S+\.\S+) TO ",
    re.IGNORECASE,
)
_ROLE = re.compile(r"GRANT \S+ TO ", re.IGNORECASE)
_DEFAULT_ROLE = re.compile(r"SET DEFAULT ROLE ", re.IGNORECASE)
_PRIVILEGE = re.compile(r"(?P<name>[A-Z][A-Z_ ]*[A-Z])\s*(?:\((?P<columns>[^)]*)\))?", re.IGNORECASE)

_WRITES = """
    INSERT, UPDATE, DELETE, CREATE, DROP, ALTER, INDEX, TRIGGER, REFERENCES, EVENT, FILE, EXECUTE,
    CREATE VIEW, CREATE ROUTINE, ALTER ROUTINE, CREATE TEMPORARY TABLES, DELETE HISTORY,
    LOCK TABLES, ALL PRIVILEGES
"""
WRITE_PRIVILEGES = frozenset(name.strip() for name in _WRITES.split(","))
HARMLESS_PRIVILEGES = frozenset({"USAGE", "SHOW DATABASES", "SHOW VIEW"})


def grant_statements(source: DataSource, *, user: str = "superbiz_ro", host: str = "%") -> tuple[str, ...]:
    """Return the statements that give an account exactly the allow-listed columns."""
    account = f"{_text(user)}@{_text(host)}"
    return tuple(
        f"GRANT SELECT ({_names(columns)}) ON {_name(schema)}.{_name(table)} TO {account};"
        for schema, tables in source.allowed.items()
        for table, columns in tables.items()
        if columns
    )


def account_findings(grants: Sequence[str], source: DataSource) -> tuple[AccountFinding, ...]:
    """Judge the rows of SHOW GRANTS against the allow-list; what is not understood is reported too.

    The text of a grant is never repeated: on MariaDB it holds the hash of the password.
    """
    readable: set[str] = set()
    findings = list(allow_list_findings(source))
    for grant in grants:
        findings += _judge(grant, source, readable)
    missing = [column for column in _allowed(source) if not _is_readable(column, readable)]
    if missing:
        shown = ", ".join(".".join(column) for column in missing[:5]) + (" ..." if len(missing) > 5 else "")
        findings.append(AccountFinding(FindingKind.CANNOT_READ, f"the account cannot read {shown}"))
    return tuple(dict.fromkeys(findings))


def allow_list_findings(source: DataSource) -> Iterator[AccountFinding]:
    """Yield a warning for each allow-listed column that holds a secret by its name."""
    for column in _allowed(source):
        if is_sensitive_name(column[-1]):
            text = f"{'.'.join(column)} is allow-listed although its name says that it is secret"
            yield AccountFinding(FindingKind.SENSITIVE_COLUMN, text)


def _judge(grant: str, source: DataSource, readable: set[str]) -> Iterator[AccountFinding]:
    if _DEFAULT_ROLE.match(grant):
        return
    if _ROLE.match(grant):
        yield AccountFinding(
            FindingKind.UNKNOWN_GRANT, "the account has a role, whose rights were not judged"
        )
        return
    found = _GRANT.match(grant)
    if found is None:
        text = "a grant of the account could not be judged: look at SHOW GRANTS"
        yield AccountFinding(FindingKind.UNKNOWN_GRANT, text)
        return
    place = found.group("place").replace("`", "").replace("\\", "")
    if grant.upper().rstrip(" ;").endswith("WITH GRANT OPTION"):
        text = f"the account may pass its rights on {place} on to others"
        yield AccountFinding(FindingKind.CAN_ADMINISTER, text)
    for privilege in _PRIVILEGE.finditer(found.group("privileges")):
        yield from _judge_privilege(privilege, place, source, readable)


def _judge_privilege(
    privilege: re.Match[str], place: str, source: DataSource, readable: set[str]
) -> Iterator[AccountFinding]:
    name = privilege.group("name").upper()
    if name in HARMLESS_PRIVILEGES:
        return
    if name in ("SELECT", "ALL PRIVILEGES"):
        columns = privilege.group("columns")
        places = [place] if columns is None else [f"{place}.{_bare(column)}" for column in columns.split(",")]
        readable.update(item.lower() for item in places)
        allowed = {".".join(column).lower() for column in _allowed(source)}
        beyond = [item for item in places if item.lower() not in allowed]
        if beyond:
            yield AccountFinding(FindingKind.READS_BEYOND, f"the account may read {', '.join(beyond)}")
    if name in WRITE_PRIVILEGES:
        yield AccountFinding(FindingKind.CAN_WRITE, f"the account has {name} on {place}")
    elif name != "SELECT":
        yield AccountFinding(FindingKind.CAN_ADMINISTER, f"the account has {name} on {place}")


def _allowed(source: DataSource) -> list[tuple[str, str, str]]:
    return [
        (schema, table, column)
        for schema, tables in source.allowed.items()
        for table, columns in tables.items()
        for column in columns
    ]


def _is_readable(column: tuple[str, str, str], readable: set[str]) -> bool:
    schema, table, name = column
    places = {"*.*", f"{schema}.*", f"{schema}.{table}", f"{schema}.{table}.{name}"}
    return any(place.lower() in readable for place in places)


def _bare(name: str) -> str:
    return name.strip().strip("`")


def _names(names: Sequence[str]) -> str:
    return ", ".join(_name(name) for name in names)


def _name(name: str) -> str:
    return "`" + name.replace("`", "``") + "`"


def _text(text: str) -> str:
    return "'" + text.replace("\\", "\\\\").replace("'", "''") + "'"
