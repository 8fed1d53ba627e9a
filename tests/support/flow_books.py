"""What must hold of every Run, however it ended: one terminal state everywhere, and the books balance."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from superbiz_cli.harness.audit.chain import ChainIntact
from superbiz_cli.harness.contract.status import ReleaseOutcome, RunState
from tests.support.flow_turns import CONCLUSION, diagnosis
from tests.support.flow_world import Flow, World
from tests.support.schemas import RUN_VALIDATOR

# outcome -> the run states that SPEC section 3 allows beside it
STATES_OF = {
    ReleaseOutcome.SUCCESS: {RunState.SUCCESS},
    ReleaseOutcome.FALLBACK: {RunState.SUCCESS, RunState.BUDGET_EXHAUSTED},
    ReleaseOutcome.FAILED: {RunState.FAILED, RunState.TIMED_OUT, RunState.BUDGET_EXHAUSTED},
    ReleaseOutcome.CANCELLED: {RunState.CANCELLED},
}
CODES_OF = {
    ReleaseOutcome.SUCCESS: {0},
    ReleaseOutcome.FALLBACK: {3},
    ReleaseOutcome.FAILED: {1, 4, 5},
    ReleaseOutcome.CANCELLED: {129, 130, 141, 143},
}


CLOSED_PIPE = 141


def balanced(flow: Flow, *, pipe_is_closed: bool = False) -> Mapping[str, Any]:
    """Check the newest Run of `flow` in every place that tells of it; return its stored document."""
    run = flow.replay.run.summary
    outcome, state = ReleaseOutcome(str(run.release_outcome)), RunState(run.run_state)
    assert state in STATES_OF[outcome]
    assert flow.code in ({CLOSED_PIPE} if pipe_is_closed else CODES_OF[outcome])
    assert_finished_once(flow)
    assert_ledger_is_complete(flow)
    return stored_document(flow)


def stored_document(flow: Flow) -> Mapping[str, Any]:
    """The published content as the audit keeps it, in the shape of --json; valid by the schema."""
    from superbiz_cli.cli.result_json import document

    result = flow.replay.run.result()
    assert result is not None
    published: dict[str, Any] = json.loads(json.dumps(document(result)))
    RUN_VALIDATOR.validate(published)
    return published


def assert_finished_once(flow: Flow) -> None:
    """The last event is RUN_FINISHED, the only one, and says what the Run's row says."""
    run, usage = flow.replay.run.summary, flow.replay.run.summary.usage
    assert flow.types[0] == "RUN_STARTED"
    assert flow.types[-1] == "RUN_FINISHED"
    assert flow.types.count("RUN_FINISHED") == 1
    [finished] = flow.events("RUN_FINISHED")
    assert finished["run_state"] == run.run_state
    assert finished["release_outcome"] == run.release_outcome
    assert finished["failure_code"] == run.failure_code
    assert usage is not None
    assert {key: finished[key] for key in usage.model_dump()} == usage.model_dump()
    assert ("BUDGET_EXHAUSTED" in flow.types) == (run.run_state == "BUDGET_EXHAUSTED")


def assert_ledger_is_complete(flow: Flow) -> None:
    """Ledger = budget = steps: every call and every token is written exactly once, in order."""
    replay = flow.replay
    usage, details = replay.run.summary.usage, replay.details
    assert usage is not None
    assert details is not None
    assert replay.tokens.consistent
    assert len(details.model_calls) == usage.model_calls
    assert sum(call.input_tokens for call in details.model_calls) == usage.input_tokens
    assert sum(call.output_tokens for call in details.model_calls) == usage.output_tokens
    agent_calls = [call.id for call in details.model_calls if call.role == "agent"]
    steps = [step.model_call_id for step in details.agent_steps]
    assert len(steps) == len(agent_calls)
    assert [id_ for id_ in steps if id_ is not None] == [id_ for id_ in agent_calls if id_ in steps]
    assert len(details.tool_invocations) <= usage.tool_calls
    assert [count.missing for count in replay.counts] == [0] * len(replay.counts)
    assert [entry.sequence_no for entry in replay.timeline] == list(range(1, len(replay.timeline) + 1))
    assert isinstance(replay.chain, ChainIntact)
    assert replay.chain.sealed


def same_as_stored(flow: Flow) -> None:
    """--json printed exactly what the audit keeps (the query is redacted there)."""
    RUN_VALIDATOR.validate(flow.document)
    stored = stored_document(flow)
    assert {**flow.document, "query": None} == {**stored, "query": None}


def unproven(flow: Flow, *, code: int) -> dict[str, Any]:
    """Nothing of the conclusion got out, no defect was shown, and the books balance."""
    assert flow.code == code, flow.err
    assert CONCLUSION not in flow.out + flow.err
    assert "Traceback" not in flow.err
    return dict(balanced(flow))


def works_again(world: World) -> None:
    """The next Run in the same home succeeds."""
    assert world.ask(diagnosis()).code == 0
