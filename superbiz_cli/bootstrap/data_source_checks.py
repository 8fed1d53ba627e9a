"""What `doctor` says about databases: whether they answer, and what their accounts may really do."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Future
from typing import TYPE_CHECKING, TypeVar

from superbiz_cli.bootstrap.data_sources import data_source, open_executor, source_columns
from superbiz_cli.bootstrap.port import Check, CheckStatus
from superbiz_cli.errors import SuperbizError
from superbiz_cli.harness.tool.mysql.contract import DataSource, ExecutionFault
from superbiz_cli.harness.tool.mysql.explain import explained
from superbiz_cli.harness.tool.mysql.grants import (
    AccountFinding,
    FindingKind,
    account_findings,
    allow_list_findings,
)
from superbiz_cli.harness.tool.port import ToolExecutionFailed
from superbiz_cli.settings import MysqlDataSource, Settings

if TYPE_CHECKING:
    from superbiz_cli.adapters.mysql_source import MysqlSource
    from superbiz_cli.adapters.sqlite_source import SqliteSource

REACH_S = 3.0
MAX_FINDINGS = 5
_SHOWN_COLUMNS = 5
_DOWN = "check its address, and whether it runs"
_PRUNE = "take the column out of [mysql.data_sources.allowed]"

T = TypeVar("T")


def data_source_checks(settings: Settings) -> Iterator[Check]:
    """Yield whether each data source answers within 3 s, and a warning for each thing that is amiss."""
    for entry in settings.mysql.data_sources:
        yield from _checks(entry)


def _checks(entry: MysqlDataSource) -> Iterator[Check]:
    name, source = f"mysql {entry.id}", data_source(entry)
    if not any(source.allowed.values()):
        fix = f"superbiz mysql schema {entry.id}  prints what could be allowed"
        yield Check(name, CheckStatus.WARN, "no table is allowed: nothing can be asked", fix)
    elif not source.allowed.get(source.default_schema):
        named = f"'{source.default_schema}'" if source.default_schema else "none"
        detail = f"no table of the default schema ({named}) is allowed: tables need their schema before them"
        yield Check(name, CheckStatus.WARN, detail, f"set default_schema of {entry.id}")
    try:
        executor = open_executor(entry)
    except SuperbizError as error:
        yield Check(name, CheckStatus.WARN, error.message, error.hint)
        return
    try:
        detail, findings = within(REACH_S, lambda: _look(source, executor))
    except ToolExecutionFailed as failed:
        detail, fix = explained(failed.category or "") or ("the database does not answer", _DOWN)
        yield Check(name, CheckStatus.WARN, detail, fix)
        yield from _warnings(name, entry.id, tuple(allow_list_findings(source)))
        return
    yield Check(name, CheckStatus.OK, detail)
    yield from _warnings(name, entry.id, findings)


def _warnings(name: str, source_id: str, findings: Sequence[AccountFinding]) -> Iterator[Check]:
    account = f"superbiz mysql grants {source_id}  prints the grants of a fitting account"
    for finding in findings[:MAX_FINDINGS]:
        fix = _PRUNE if finding.kind is FindingKind.SENSITIVE_COLUMN else account
        yield Check(name, CheckStatus.WARN, finding.text, fix)
    if len(findings) > MAX_FINDINGS:
        more = f"{len(findings) - MAX_FINDINGS} more findings like these"
        yield Check(name, CheckStatus.WARN, more, account)


def _look(source: DataSource, executor: MysqlSource | SqliteSource) -> tuple[str, tuple[AccountFinding, ...]]:
    from superbiz_cli.adapters.sqlite_source import SqliteSource

    tables = sum(len(tables) for tables in source.allowed.values())
    if isinstance(executor, SqliteSource):
        there = {(item.table.lower(), item.column.lower()) for item in source_columns(source, executor)}
        findings = (*_lacking(source, there), *allow_list_findings(source))
        return f"SQLite file answers · {tables} table(s) allowed", findings
    version = executor.server_version(timeout_s=REACH_S)
    findings = account_findings(executor.grants(timeout_s=REACH_S), source)
    is_fitting = all(finding.kind is FindingKind.SENSITIVE_COLUMN for finding in findings)
    rights = " · the account reads their columns and can do nothing else" if is_fitting else ""
    return f"{version} answers · {tables} table(s) allowed{rights}", findings


def _lacking(source: DataSource, there: set[tuple[str, str]]) -> Iterator[AccountFinding]:
    lacking = [
        f"{table}.{column}"
        for tables in source.allowed.values()
        for table, columns in tables.items()
        for column in columns
        if (table.lower(), column.lower()) not in there
    ]
    if lacking:
        more = " ..." if len(lacking) > _SHOWN_COLUMNS else ""
        text = f"the file has no {', '.join(lacking[:_SHOWN_COLUMNS])}{more}"
        yield AccountFinding(FindingKind.CANNOT_READ, text)


def within(seconds: float, look: Callable[[], T]) -> T:
    """Return what `look` returns, at most `seconds` later. Raises ToolExecutionFailed (TIMEOUT)."""
    outcome: Future[T] = Future()

    def work() -> None:
        try:
            outcome.set_result(look())
        except BaseException as error:  # told to the thread that waits
            outcome.set_exception(error)

    threading.Thread(target=work, name="doctor-look", daemon=True).start()
    try:
        return outcome.result(timeout=seconds)
    except TimeoutError:
        raise ToolExecutionFailed(ExecutionFault.TIMEOUT.value) from None
