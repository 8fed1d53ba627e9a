"""Report, fallback and answer for people: what must be in it, and what outside text cannot do to it."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from rich.cells import cell_len

from superbiz_cli.cli.markdown import escaped, markdown_of, table
from superbiz_cli.cli.readable import readable_times
from superbiz_cli.cli.render import render_result
from superbiz_cli.cli.streams import json_text
from superbiz_cli.harness.contract.report import (
    Answer,
    CitedText,
    FallbackFact,
    RunResult,
    SafeFallback,
    ValidationIssue,
)
from superbiz_cli.harness.contract.status import FailureStage, FallbackType
from tests.support.results import EVIDENCE, REPORT, fallback_result, result, run_results

HOSTILE = (
    "\x1b]0;pwned\x07\x1b[2J[red]x[/red] [link=http://evil]y[/link] "
    "\u202egnp.exe \x9b31m a\x00b\u200b \U000e0041"
)
UNSAFE = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f\u200b-\u200f\u202a-\u202e\u2066-\u2069\U000e0000-\U000e0fff]"
)

REPORT_TEXT = """\
Conclusion
  The pool is exhausted. [1]

What was seen
  • 37 timeouts from 10:02. [1]

What to do
  1. Restart payment-service  needs your confirmation  [1]

Limits
  application logs 09:45-10:15
  Not known: the slow query log
  3 of 41 patterns shown

Evidence
  [1] logs  application  "payment timeout" 09:45-10:15
      "Connection is not available"

  verified 1 of 1 references · judged supported · superbiz trace show run0000001
"""

FALLBACK = SafeFallback(
    type=FallbackType.INSUFFICIENT_EVIDENCE,
    message="The search was stopped.",
    observed_facts=(FallbackFact(text="37 timeouts", ref=1),),
    missing_info=("the log of channel-gateway",),
    limitations=("only one source",),
    next_steps=("add the source",),
    failure_stage=FailureStage.DIAGNOSIS_COLLECTION,
    validation_issues=(ValidationIssue(code="INVOCATION_NOT_FOUND", target="analysis[0]"),),
)

FALLBACK_TEXT = """\
No proven cause                        insufficient evidence
  The search was stopped.

What is certain
  • 37 timeouts [1]

What is missing
  • the log of channel-gateway

Limits
  • only one source

Why the draft was withheld
  invocation not found  analysis[0]

Next
  • add the source

Evidence
  [1] logs  application  "payment timeout" 09:45-10:15
      "Connection is not available"

  facts from 1 result, read again and verified · fell back at diagnosis collection ·
  superbiz trace show run0000001
"""


def text(published: RunResult, *, width: int = 90, color: bool = False) -> str:
    return render_result(published, width=width, color=color)


def hostile_result() -> RunResult:
    item = REPORT.analysis[0].model_copy(update={"text": HOSTILE})
    report = REPORT.model_copy(update={"analysis": (item,), "conclusion": CitedText(text=HOSTILE, refs=(1,))})
    evidence = EVIDENCE.model_copy(update={"excerpt": HOSTILE, "source": HOSTILE, "scope": HOSTILE})
    return result(report=report, evidence=(evidence,))


def test_the_report_reads_like_this() -> None:
    assert text(result()) == REPORT_TEXT


def test_the_fallback_reads_like_this() -> None:
    assert text(fallback_result(fallback=FALLBACK)) == FALLBACK_TEXT


def test_every_text_says_when_no_language_model_was_at_work() -> None:
    for published in (result(model="offline/playbook"), fallback_result(model="offline/playbook")):
        assert "built in, no network" in text(published)
        assert "built in, no network" in markdown_of(published)
    assert "built in" not in text(result())


def test_an_answer_shows_its_footnotes_and_what_is_close() -> None:
    answer = Answer(statements=(CitedText(text="Yes.", refs=(1, 2)),), near=("runbook",))
    shown = text(result(report=None, answer=answer))
    assert shown.startswith("Yes. [1][2]\n")
    assert "Close to it\n  • runbook" in shown


def test_times_are_written_for_people_and_the_scope_does_not_repeat_its_source() -> None:
    evidence = EVIDENCE.model_copy(
        update={
            "source": "APPLICATION logs (files)",
            "scope": "APPLICATION logs with failed, "
            "2026-11-30T09:45:00.123+08:00 to 2026-11-30T10:15:00.5+08:00",
        }
    )
    fallback = FALLBACK.model_copy(
        update={"limitations": ("app: its newest event is at 2026-11-30T10:02:11+08:00",)}
    )
    shown = fallback_result(fallback=fallback, evidence=(evidence,))
    assert "APPLICATION logs (files)  with failed, 2026-11-30 09:45–10:15 +08:00" in text(shown)
    assert "its newest event is at 2026-11-30 10:02:11 +08:00" in text(shown)
    assert "with failed, 2026-11-30 09:45–10:15 +08:00" in markdown_of(shown)


@pytest.mark.parametrize(
    ("written", "read"),
    [
        (
            "2026-11-29T23:45:00+08:00 to 2026-11-30T00:15:00+08:00",
            "2026-11-29 23:45–2026-11-30 00:15 +08:00",
        ),
        ("2026-11-30T00:15:00Z", "2026-11-30 00:15:00 +00:00"),
        ("2026-13-30T00:15:00Z", "2026-13-30T00:15:00Z"),
        (
            "2026-11-30T00:15:00Z to 2026-11-30T09:15:00+08:00",
            "2026-11-30 00:15:00 +00:00 to 2026-11-30 09:15:00 +08:00",
        ),
        ("no time", "no time"),
    ],
)
def test_iso_times_become_readable(written: str, read: str) -> None:
    assert readable_times(written) == read


STEP = "Read the lines:  superbiz logs search '\"it broke\"' --topic APPLICATION --since 2026-11-30T10:00"


def test_the_command_of_a_step_can_be_copied() -> None:
    fallback = FALLBACK.model_copy(update={"next_steps": (STEP, "查看：superbiz logs sources")})
    shown = text(fallback_result(fallback=fallback), width=60)
    assert (
        "  • Read the lines:\n"
        "      superbiz logs search '\"it broke\"' \\\n"
        "      --topic APPLICATION --since 2026-11-30T10:00\n"
        "  • 查看：\n"
        "      superbiz logs sources\n"
    ) in shown
    marked = markdown_of(fallback_result(fallback=fallback))
    assert "- Read the lines: `superbiz logs search '\"it broke\"' --topic APPLICATION --since" in marked
    odd = FALLBACK.model_copy(update={"next_steps": ("See: superbiz diagnose '`id`'",)})
    assert "\\`id\\`" in markdown_of(fallback_result(fallback=odd))


def test_a_fallback_without_evidence_counts_none() -> None:
    shown = fallback_result(fallback=FALLBACK, evidence=())
    assert "read again" not in text(shown)
    two = (EVIDENCE, EVIDENCE.model_copy(update={"ref": 2}))
    assert "facts from 2 results" in markdown_of(fallback_result(fallback=FALLBACK, evidence=two))


@given(published=run_results())
def test_any_result_fits_the_width_and_holds_no_control_character(published: RunResult) -> None:
    shown = text(published, width=60)
    assert UNSAFE.search(shown) is None
    assert all(cell_len(line) <= 60 for line in shown.splitlines())
    assert UNSAFE.search(markdown_of(published)) is None


def test_outside_text_can_neither_steer_the_terminal_nor_be_markup() -> None:
    shown = text(hostile_result(), width=100)
    assert UNSAFE.search(shown) is None
    assert "[red]x[/red]" in shown
    assert "\\x1b]0;pwned" in shown


def test_colour_adds_escape_sequences_and_changes_no_text() -> None:
    colored = text(hostile_result(), color=True)
    bare = re.sub(r"\x1b\[[0-9;]*m", "", colored)
    assert "\x1b[" in colored
    assert [line.rstrip() for line in bare.splitlines()] == text(hostile_result()).splitlines()


def test_markdown_shows_the_same_content() -> None:
    shown = markdown_of(result())
    assert shown.startswith("## Conclusion\n\nThe pool is exhausted. \\[1\\]\n")
    assert "**needs your confirmation**" in shown
    assert "\\[1\\] logs application" in shown
    assert "No proven cause (insufficient evidence)" in markdown_of(fallback_result())


@pytest.mark.parametrize(
    "text_",
    [
        "# title",
        "- item",
        "1. item",
        "<b>x</b>",
        "[a](http://b)",
        "`code`",
        "| cell |",
        "![i](j)",
        "https://a",
    ],
)
def test_outside_text_cannot_become_markdown(text_: str) -> None:
    shown = escaped(text_)
    assert shown != text_
    assert not re.match(r"[#\-|<\[`]", shown) or shown.startswith("\\")
    assert "](" not in shown.replace("\\](", "")
    assert "://" not in shown


def test_a_cell_stays_on_its_line() -> None:
    assert table(("a", "b"), [("x\ny", "1|2")]).splitlines()[2] == "| x y | 1\\|2 |"


def test_json_holds_no_raw_control_and_loses_nothing() -> None:
    import json

    written = json_text({"text": HOSTILE + "支付 \ud800"}, indent=None)
    assert UNSAFE.search(written.rstrip("\n")) is None
    assert "支付" in written
    assert json.loads(written)["text"] == HOSTILE + "支付 \ud800"
