"""The live journal through journalctl, here a script that writes what journalctl would write."""

from __future__ import annotations

import json
import sys
import threading
import time
from datetime import datetime, timedelta
from pathlib import Path

import pytest

from superbiz_cli.adapters.journald_logs import JournalSource
from superbiz_cli.harness.contract.status import CancelReason
from superbiz_cli.harness.core.run import Run, RunAborted
from superbiz_cli.harness.tool.logs.contract import LogQuery, LogSourceKind, LogTopic, TimeWindow
from superbiz_cli.harness.tool.logs.tally import EventTally
from superbiz_cli.harness.tool.logs.terms import parse_terms
from tests.support.logs import NOON, a_run, a_source


def entry(at: datetime, message: object, **fields: object) -> str:
    microseconds = str(int(at.timestamp() * 1_000_000))
    return json.dumps({"__REALTIME_TIMESTAMP": microseconds, "MESSAGE": message, "PRIORITY": "3", **fields})


def journalctl(tmp_path: Path, lines: list[str], *, rest: str = "") -> str:
    program = tmp_path / "journalctl"
    (tmp_path / "out").write_text("".join(line + "\n" for line in lines))
    script = (
        f"import sys\nsys.stdout.write(open({str(tmp_path / 'out')!r}).read()); sys.stdout.flush()\n{rest}\n"
    )
    program.write_text(f"#!{sys.executable}\n{script}")
    program.chmod(0o755)
    return str(program)


def search(program: str, query: str, run: Run) -> tuple[EventTally, tuple[str, ...], bool]:
    window = TimeWindow.between(NOON - timedelta(minutes=30), NOON)
    tally = EventTally(window)
    source = a_source(kind=LogSourceKind.JOURNALD, topic=LogTopic.SYSTEM_EVENTS, name="journal")
    request = LogQuery(LogTopic.SYSTEM_EVENTS, query, parse_terms(query), window)
    answer = JournalSource(source, program=program).search(request, tally, run=run)
    return tally, answer.limitations, answer.answered


def test_entries_of_the_window_that_hold_the_terms_are_counted(tmp_path: Path) -> None:
    lines = [
        entry(NOON - timedelta(minutes=50), "oom killed", SYSLOG_IDENTIFIER="kernel"),
        entry(NOON - timedelta(minutes=5), "OOM killed process 7", SYSLOG_IDENTIFIER="kernel"),
        entry(NOON - timedelta(minutes=4), list(b"oom \xff bytes"), _SYSTEMD_UNIT="pay.service"),
        entry(NOON - timedelta(minutes=3), "fine"),
        "torn {",
    ]
    tally, limitations, answered = search(journalctl(tmp_path, lines), "oom", a_run())
    _, events = tally.finish()
    assert answered
    assert limitations == ()
    assert tally.match_count == 2
    assert [event.service for event in events] == ["kernel", "pay.service"]
    assert {event.level for event in events} == {"ERROR"}


def test_a_machine_without_a_journal_says_so(tmp_path: Path) -> None:
    _, limitations, answered = search(str(tmp_path / "absent"), "", a_run())
    assert not answered
    assert limitations == ("journal: journalctl is not installed here",)


def test_a_journal_that_may_not_be_read_says_so(tmp_path: Path) -> None:
    _, limitations, answered = search(journalctl(tmp_path, [], rest="sys.exit(1)"), "", a_run())
    assert not answered
    assert "may not read the journal" in limitations[0]


def test_a_cancel_ends_journalctl_within_a_second(tmp_path: Path) -> None:
    run = a_run()
    program = journalctl(tmp_path, [entry(NOON, "x")], rest="import time; time.sleep(30)")
    threading.Timer(0.3, run.cancel, [CancelReason.USER_REQUESTED]).start()
    begin = time.monotonic()
    with pytest.raises(RunAborted):
        search(program, "", run)
    assert time.monotonic() - begin < 1.3
