"""`superbiz trace`: lists, one run, verification, export and pruning."""

from __future__ import annotations

import dataclasses
import json
from datetime import UTC, datetime, timedelta

import pytest

from superbiz_cli.cli.timeline import outcome_of
from superbiz_cli.cli.trace_rows import row_of
from superbiz_cli.errors import ErrorCode, SuperbizError
from superbiz_cli.harness.audit.events import STAGE_OF
from superbiz_cli.harness.audit.replay import TimelineEntry
from tests.support.fake_bootstrap import FakeRoot, installed, stored_run
from tests.support.run_cli import Completed, run_cli

RUNS = (
    stored_run("7f3k00aaaa"),
    stored_run("7f3z00aaaa", release_outcome="FALLBACK", fallback_type="INSUFFICIENT_EVIDENCE"),
    stored_run(
        "9abc00aaaa",
        run_state="RUNNING",
        release_outcome=None,
        completed_at=None,
        duration_ms=None,
        usage=None,
    ),
)


def trace(*arguments: str, root: FakeRoot | None = None, terminal: bool = False) -> Completed:
    with installed(root or FakeRoot(runs=RUNS)):
        return run_cli("trace", *arguments, terminal=terminal)


def test_a_list_has_a_header_and_one_line_for_each_run() -> None:
    done = trace("list")
    assert (done.code, done.err) == (0, "")
    header, *rows = done.out.splitlines()
    assert header.split() == ["RUN", "STARTED", "OUTCOME", "TOOK", "QUESTION"]
    assert [row.split()[0] for row in rows] == ["7f3k00aaaa", "7f3z00aaaa", "9abc00aaaa"]
    assert "2026-11-30 10:15:22" in rows[0]
    assert "abandoned" in rows[2]


def test_a_run_is_running_while_a_deadline_can_still_be_ahead_and_abandoned_after_that() -> None:
    run = RUNS[2].summary
    for age, said in ((timedelta(hours=23), "running"), (timedelta(hours=25), "abandoned")):
        assert outcome_of(run, now=run.started_at + age) == said


def test_an_empty_list_is_a_success_in_every_format(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("CI", raising=False)  # a terminal of a build is not one that somebody reads
    for flags, out in (
        ([], "RUN  STARTED  OUTCOME  TOOK  QUESTION\n"),
        (["--json"], "[]\n"),
        (["--ndjson"], ""),
    ):
        done = trace("list", *flags, root=FakeRoot())
        assert (done.code, done.out, done.err) == (0, out, "")
    assert "no run has been recorded yet" in trace("list", root=FakeRoot(), terminal=True).err


def test_a_shortened_list_says_what_lifts_the_limit() -> None:
    done = trace("list", "--limit", "2")
    assert len(done.out.splitlines()) == 3
    assert done.err == "note: only the newest 2 runs; pass --limit -1 for all\n"
    assert trace("list", "--limit", "-1").err == ""


def test_every_format_lists_the_same_runs() -> None:
    ids = [run.summary.run_id for run in RUNS]
    assert [row["run_id"] for row in trace("list", "--json").json()] == ids
    assert [row["run_id"] for row in trace("list", "--ndjson").ndjson()] == ids
    assert [line.split(" | ")[0] for line in trace("list", "--format", "markdown").out.splitlines()[2:]] == [
        f"| {run_id}" for run_id in ids
    ]


def test_a_run_is_found_by_the_beginning_of_its_id() -> None:
    done = trace("show", "7f3k")
    assert done.code == 0
    assert done.out.startswith("run 7f3k00aaaa   SUCCESS   2026-11-30 10:15:22 → 10:15:58   36.1 s\n")
    assert "query_logs" in done.out
    assert "chain intact (11 events) · ledger = budget = steps (340 tokens)" in done.out


def test_without_an_id_the_newest_run_is_shown() -> None:
    assert trace("show").out.startswith("run 7f3k00aaaa")


@pytest.mark.parametrize(
    ("arguments", "message", "hint"),
    [
        (["show", "zzz"], "there is no run 'zzz'", "trace list"),
        (["show", "7f3"], "more than one run begins with '7f3'", "7f3k00aaaa, 7f3z00aaaa"),
        (["prune", "--before", "1d"], "nothing is removed without --yes", "--dry-run"),
        (["prune", "--before", "soon", "--yes"], "'soon' is not a time", "yesterday"),
        (["export", "7f3k", "--ndjson"], "always one JSON document", "--format"),
    ],
)
def test_what_cannot_be_done_is_said_with_the_next_step(
    arguments: list[str], message: str, hint: str
) -> None:
    done = trace(*arguments)
    assert done.code == 2
    said = done.err or done.out
    assert message in said
    assert hint in said


def test_no_run_at_all_is_said_so() -> None:
    done = trace("show", root=FakeRoot())
    assert (done.code, done.out) == (2, "")
    assert "superbiz demo" in done.err


def test_a_dead_database_is_exit_code_4_and_an_empty_stdout() -> None:
    refusal = SuperbizError(ErrorCode.AUDIT_UNAVAILABLE, "the audit database is damaged", hint="move it away")
    done = trace("list", root=FakeRoot(refuses=refusal))
    assert (done.code, done.out) == (4, "")
    assert done.err.splitlines() == ["superbiz: the audit database is damaged", "hint: move it away"]


def test_depth_is_asked_for() -> None:
    shallow, deep = trace("show", "7f3k"), trace("show", "7f3k", "--details", "--reasoning", "--result")
    assert "Model calls" not in shallow.out
    assert "I look at the logs first." not in shallow.out
    assert "Model calls" in deep.out
    assert "I look at the logs first." in deep.out
    assert "The pool is exhausted. [1]" in deep.out


def test_the_json_of_a_run_holds_what_was_asked_for() -> None:
    shallow, deep = trace("show", "7f3k", "--json").json(), trace("export", "7f3k").json()
    assert shallow["schema"] == "superbiz.trace/v1"
    assert shallow["chain"] == {"verdict": "INTACT", "events": 11, "sealed": True}
    assert (shallow["details"], shallow["reasoning"], shallow["result"]) == (None, None, None)
    assert deep["result"]["report"]["conclusion"]["text"] == "The pool is exhausted."
    assert len(deep["details"]["model_calls"]) == 2


def test_events_are_one_line_each_in_ndjson() -> None:
    lines = trace("show", "7f3k", "--ndjson").ndjson()
    assert [line["sequence_no"] for line in lines] == list(range(1, 12))


def test_an_altered_result_breaks_the_seal_and_verification_fails() -> None:
    altered = dataclasses.replace(RUNS[0], result_json='{"forged": true}')
    done = trace("verify", root=FakeRoot(runs=[altered]))
    assert done.code == 1
    assert "chain broken" in done.out
    assert trace("verify", "7f3k").code == 0


def test_pruning_counts_first_and_removes_only_when_told() -> None:
    (record,) = trace("prune", "--before", "2027-01-01", "--dry-run", "--json").json()
    assert (record["runs"], record["dry_run"]) == (3, True)
    assert datetime.fromisoformat(record["before"]) == datetime(2026, 12, 31, 16, tzinfo=UTC)
    assert trace("prune", "--before", "2027-01-01", "--yes").code == 0


@pytest.mark.parametrize("kind", [*STAGE_OF, "SOMETHING_NEW"])
def test_every_type_of_event_has_a_row(kind: str) -> None:
    values = {
        "attempt": 1,
        "failure": "TIMEOUT",
        "codes": "A,B",
        "scope": "query_logs#1",
        "raw_bytes": 12,
        "flag": True,
    }
    row = row_of(TimelineEntry(1, 1500, "AGENT", kind, json.loads(json.dumps(values)), "digest"))
    assert row.offset == "+1.5"
    assert row.label
    assert "\x1b" not in row.text


def test_a_long_timeline_is_paged_only_for_a_person(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SUPERBIZ_PAGER", "false")
    monkeypatch.setenv("TERM", "xterm")
    assert "chain intact" in trace("show", "7f3k").out
    assert "chain intact" in trace("show", "7f3k", "--no-pager", terminal=True).out
