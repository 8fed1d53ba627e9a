"""The live view: it fits the terminal, disappears, and never animates where nobody looks."""

from __future__ import annotations

import io
import re
from dataclasses import dataclass, field

import pytest

from superbiz_cli.cli.live import STOPPING, Heading, LiveView, PlainView
from superbiz_cli.cli.stages import Mark, step_of, words
from superbiz_cli.cli.streams import Streams
from superbiz_cli.harness.audit.events import STAGE_OF, RecordedEvent, Scalar, TraceEvent, TraceType
from superbiz_cli.harness.contract.status import CancelReason
from tests.support.fake_bootstrap import EVENTS, RUN_ID

HEADING = Heading(models="model openai/gpt-5", window="2026-11-30 10:00 → 10:15 +08:00", deadline_s=300)


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


@dataclass
class Run:
    run_id: str = RUN_ID
    session_id: str = "shop"
    reasons: list[CancelReason] = field(default_factory=list)

    def cancel(self, reason: CancelReason) -> bool:
        self.reasons.append(reason)
        return True


def streams(stderr: io.StringIO, **environ: str) -> Streams:
    return Streams(stdout=Terminal(), stderr=stderr, environ={"TERM": "xterm", "COLUMNS": "80", **environ})


def replay(view: LiveView | PlainView, times: int = 1) -> None:
    view.started(Run())
    for _ in range(times):
        for number, (at_ms, event) in enumerate(EVENTS, start=1):
            view.event(RecordedEvent(RUN_ID, number, at_ms, event))


def screen_rows(written: str) -> int:
    """Return the most rows that the cursor was ever moved up by in one redraw."""
    redraws = re.findall(r"(?:\x1b\[1A\x1b\[2K)+", written)
    return max((redraw.count("\x1b[1A") for redraw in redraws), default=0)


def test_the_view_never_has_more_rows_than_the_terminal(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("LINES", "24")
    monkeypatch.setenv("COLUMNS", "80")
    stderr = Terminal()
    view = LiveView(streams(stderr), HEADING)
    view.tick_s = 0.0
    replay(view, times=12)
    view.close()
    assert 3 < screen_rows(stderr.getvalue()) < 24


def test_the_view_shows_the_cursor_again_and_leaves_only_what_names_the_run() -> None:
    stderr = Terminal()
    view = LiveView(streams(stderr), HEADING)
    replay(view)
    view.interrupted()
    view.close()
    written = stderr.getvalue()
    assert STOPPING in written
    assert written.rindex("\x1b[?25h") > written.rindex("\x1b[?25l")
    left = written.rpartition("\x1b[2K")[2]
    assert len(left.splitlines()) == 2
    assert RUN_ID in left
    assert "window" in left


def test_a_warning_waits_until_the_view_has_gone() -> None:
    stderr = Terminal()
    view = LiveView(streams(stderr), HEADING)
    replay(view)
    view.warned("not recorded \x1b[2J")
    view.close()
    assert stderr.getvalue().endswith("note: not recorded \\x1b[2J\n")


def test_without_colour_the_view_has_none() -> None:
    stderr = Terminal()
    view = LiveView(streams(stderr, NO_COLOR="1"), HEADING)
    replay(view)
    view.close()
    assert not re.search(r"\x1b\[[0-9;]*m", stderr.getvalue())


def test_plain_progress_is_one_line_a_step_without_any_control() -> None:
    stderr = io.StringIO()
    replay(PlainView(streams(stderr), HEADING))
    lines = stderr.getvalue().splitlines()
    assert "\x1b" not in stderr.getvalue()
    assert lines[0] == "superbiz  run 7f3k00aaaa  session shop  model openai/gpt-5"
    assert lines[1] == "window    2026-11-30 10:00 → 10:15 +08:00"
    assert [line.split()[:2] for line in lines[2:]] == [
        ["✓", "intent"],
        ["✓", "logs"],
        ["✗", "mysql"],
        ["✓", "evidence"],
        ["✓", "judge"],
    ]
    assert all(len(line) <= 80 for line in lines)


def test_continuous_integration_is_no_terminal() -> None:
    assert streams(Terminal()).notes_are_terminal
    assert not streams(Terminal(), CI="true").notes_are_terminal


@pytest.mark.parametrize(
    ("kind", "attributes", "mark", "text"),
    [
        (
            TraceType.TOOL_INVOCATION,
            {"tool": "query_logs", "evidence_status": "NO_EVIDENCE"},
            Mark.PLAIN,
            "nothing found",
        ),
        (
            TraceType.TOOL_INVOCATION,
            {"tool": "query_mysql", "error_code": "RESULT_TOO_LARGE"},
            Mark.BAD,
            "result too large",
        ),
        (TraceType.EVIDENCE_GUARD_INITIAL, {"references": 2, "violations": 1}, Mark.BAD, "1 violation"),
        (TraceType.SEMANTIC_GUARD_DECISION, {"verdict": "UNSUPPORTED"}, Mark.BAD, "unsupported"),
        (TraceType.SEMANTIC_UNAVAILABLE, {"failure": "TIMEOUT"}, Mark.BAD, "not available: timeout"),
        (
            TraceType.COLLECTION_STOPPED,
            {"reason": "INFORMATION_SATURATED"},
            Mark.PLAIN,
            "stopped: information saturated",
        ),
        (TraceType.BUDGET_EXHAUSTED, {"kind": "TOOL_CALLS"}, Mark.BAD, "used up: tool calls"),
    ],
)
def test_a_step_says_how_it_went(
    kind: TraceType, attributes: dict[str, Scalar], mark: Mark, text: str
) -> None:
    step = step_of(RecordedEvent(RUN_ID, 1, 1000, TraceEvent(kind, attributes)), since_ms=0)
    assert step is not None
    assert step.mark is mark
    assert text in f"{step.text} {step.outcome}"


@pytest.mark.parametrize("kind", list(STAGE_OF))
def test_every_type_of_event_can_be_shown_without_attributes(kind: TraceType) -> None:
    step = step_of(RecordedEvent(RUN_ID, 1, 1000, TraceEvent(kind)), since_ms=0)
    assert step is None or step.stage
    assert words("A_B") == "a b"
