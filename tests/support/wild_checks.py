"""What holds of every Run, whatever happened in it. Each check raises AssertionError."""

from __future__ import annotations

from typing import Any

from superbiz_cli.cli.execute import exit_code_of_failure
from superbiz_cli.harness.audit.events import TraceType
from superbiz_cli.harness.contract.report import Report, RunResult
from superbiz_cli.harness.contract.status import AnalysisKind, EvidenceStatus, ReleaseOutcome, RunState
from tests.support.flow_books import CODES_OF, STATES_OF
from tests.support.wild_runs import ORDERS, SECRET, WildRun

LOOP_MODEL_CALLS = 6
UNFOUNDED = "4242"
ENDS = {ReleaseOutcome.SUCCESS: 0, ReleaseOutcome.FALLBACK: 3, ReleaseOutcome.CANCELLED: 130}
ACCEPTED = {
    AnalysisKind.NORMAL: EvidenceStatus.EVIDENCE_FOUND,
    AnalysisKind.NEGATIVE_OBSERVATION: EvidenceStatus.NO_EVIDENCE,
}


def a_success_is_proven(world: WildRun, result: RunResult) -> None:
    """(a) Every cited id is READY in this Run's store, kinds match, the judge agreed to what is shown."""
    report = result.report
    assert (report is not None or result.answer is not None) == (
        result.release_outcome is ReleaseOutcome.SUCCESS
    )
    if report is None:
        return
    judged = world.judged[-1]
    assert judged.verdict == "SUPPORTED"
    assert _as_judged(report) == _as_shown(judged.draft)
    ready = world.store.ready(result.run_id)
    status = {footnote.ref: ready[footnote.tool_call_id] for footnote in result.evidence}
    assert report.analysis
    for item in report.analysis:
        assert item.refs
        assert {status[ref] for ref in item.refs} == {ACCEPTED[item.kind]}
    assert report.conclusion.refs
    assert all(step.requires_human_confirmation for step in report.action_plan)
    assert not [text for text in _proven(report) if UNFOUNDED in text]


def nothing_unreleased_is_shown(world: WildRun, result: RunResult) -> None:
    """(b) What the model wrote is shown only in a report, and only the draft that was judged."""
    shown = result.model_dump_json()
    outside = [shown, *world.warnings, *map(repr, world.events), *world.sink.rows]
    released = repr(_as_judged(result.report)) if result.report else ""
    for word in world.said:
        if word not in released:
            assert not [text for text in outside if word in text], word
    for text in outside[1:]:
        assert not any(word in text for word in world.said)
    was_found = any(ORDERS in repr(script.payload) for tool in world.tools for script in tool.results)
    assert was_found or ORDERS not in shown


def the_end_is_one(world: WildRun, result: RunResult) -> None:
    """(c) One terminal state within the budgets; outcome, exit code, database row and trace agree."""
    state, outcome = result.run_state, result.release_outcome
    assert state in STATES_OF[outcome]
    assert state is not RunState.RUNNING
    assert state is world.run.lifecycle.state
    code = (
        ENDS[outcome] if result.failure is None or outcome in ENDS else exit_code_of_failure(result.failure)
    )
    assert int(code) in CODES_OF[outcome]
    last = world.events[-1].event
    assert last.type is TraceType.RUN_FINISHED
    assert (last.attributes["run_state"], last.attributes["release_outcome"]) == (state.value, outcome.value)
    assert sum(event.event.type is TraceType.RUN_FINISHED for event in world.events) == 1
    assert [event.sequence_no for event in world.events] == list(range(1, len(world.events) + 1))
    assert world.archive.fails_to_finish or world.archive.finished == result
    usage, limits = result.usage, world.limits.budget
    assert len(world.requests) == usage.model_calls <= limits.max_model_calls
    assert sum(len(tool.requests) for tool in world.tools) <= usage.tool_calls <= limits.max_tool_calls
    assert all(len(tool.requests) <= limits.max_calls_per_tool for tool in world.tools)
    if world.archive.totals is not None:
        assert world.archive.totals.model_calls == usage.model_calls


def no_secret_leaves(world: WildRun, result: RunResult) -> None:
    """(d) A registered secret is in no request, result, warning, event or row."""
    for request in world.requests:
        assert not [message for message in request.messages if SECRET in message.content]
    texts = [result.model_dump_json(), *world.warnings, *map(repr, world.events), *world.sink.rows]
    assert not [text for text in texts if SECRET in text]


def a_loop_is_short(world: WildRun, result: RunResult) -> None:
    """(e) A loop of near-duplicate calls makes at most six model calls."""
    if world.loop:
        assert result.usage.model_calls <= LOOP_MODEL_CALLS


INVARIANTS = {
    "a": a_success_is_proven,
    "b": nothing_unreleased_is_shown,
    "c": the_end_is_one,
    "d": no_secret_leaves,
    "e": a_loop_is_short,
}


def _proven(report: Report) -> list[str]:
    """The texts that the claim check has to hold against the evidence."""
    return [report.conclusion.text, *(item.text for item in report.analysis)]


def _as_judged(report: Report) -> dict[str, Any]:
    return {
        "conclusion": report.conclusion.text,
        "analysis": [(str(item.kind), item.text) for item in report.analysis],
        "action_plan": [(step.action, step.requires_human_confirmation) for step in report.action_plan],
        "recommendations": [advice.text for advice in report.recommendations],
        "limitations": report.limitations.model_dump(mode="json"),
    }


def _as_shown(draft: dict[str, Any]) -> dict[str, Any]:
    return {
        "conclusion": draft["conclusion"]["text"],
        "analysis": [(item["kind"], item["text"]) for item in draft["analysis"]],
        "action_plan": [
            (step["action"], step["requires_human_confirmation"]) for step in draft["action_plan"]
        ],
        "recommendations": [advice["text"] for advice in draft["recommendations"]],
        "limitations": draft["limitations"],
    }
