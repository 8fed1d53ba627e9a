"""Any model against any tools: the collection ends, within its budgets, by the rules."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass

from hypothesis import given, settings
from hypothesis import strategies as st

from superbiz_cli.harness.agent.loop import AgentUnavailable
from superbiz_cli.harness.agent.outcome import Collection, Completed, Stopped
from superbiz_cli.harness.audit.events import TraceType
from superbiz_cli.harness.contract.model import ModelReply, ModelRequest, ModelUnavailable, RetryFailure
from superbiz_cli.harness.contract.status import EvidenceStatus, StopReason
from superbiz_cli.harness.contract.tool_call import ToolName
from superbiz_cli.harness.tool.port import ProjectionFailed, ToolExecutionFailed
from tests.support.collecting import Bench
from tests.support.fakes import FakeEvidenceTool, Scripted, failing, found, nothing
from tests.support.scripted import call, calls, draft, observations, owed_id, raw_call, says

GAINS = st.sampled_from(["GAINED", "NO_GAIN"])


@dataclass(frozen=True, slots=True)
class Search:
    """A tool request of the model. `rates` says what it writes into previous_observation."""

    words: str
    rates: str
    gain: str
    tool: str = "query_logs"
    further: int = 0

    def reply(self, request: ModelRequest) -> ModelReply:
        one = call(self.tool, rating=self.rating(request), query=self.words)
        return calls(one, *[call(query=f"further {number}") for number in range(self.further)])

    def rating(self, request: ModelRequest) -> tuple[str, str] | None:
        owed = owed_id(request)
        match self.rates:
            case "due":
                return (owed, self.gain) if owed else None
            case "made up":
                return ("ev-made-up", self.gain)
            case _:
                return None


def searches(
    words: Sequence[str],
    *,
    rates: Sequence[str] = ("due", "made up", "nothing"),
    tools: Sequence[str] = ("query_logs", "query_mysql"),
) -> st.SearchStrategy[Search]:
    return st.builds(
        Search,
        words=st.sampled_from(words),
        rates=st.sampled_from(rates),
        gain=GAINS,
        tool=st.sampled_from(tools),
        further=st.sampled_from([0, 0, 0, 2]),
    )


odd_turns = st.sampled_from(
    [
        calls(raw_call("query_logs", "[1,2]")),
        calls(raw_call("query_logs", "{'query': None}")),
        calls(raw_call("query_logs", '{"input":{"query":"a"}}')),
        calls(raw_call("WebSearch", "{}")),
        calls(call(query="")),
        says("The root cause is clear."),
        says(""),
        says(draft(), finish_reason="length"),
        says(draft()),
        ModelUnavailable(RetryFailure.TRANSPORT),
    ]
)
illegal_turns = st.sampled_from(
    [
        calls(raw_call("query_logs", "[1,2]")),
        calls(raw_call("query_logs", '{"previous_observation":null}')),
        calls(raw_call("WebSearch", "{}")),
    ]
)
any_turn = st.one_of(searches([f"w{n}" for n in range(12)] + [" W1 ", ""]), odd_turns)
results = st.lists(
    st.sampled_from(
        [
            found(),
            found(),
            nothing(),
            failing(ToolExecutionFailed("timeout")),
            Scripted(projection_error=ProjectionFailed()),
            Scripted(declared=EvidenceStatus.NO_EVIDENCE),
        ]
    ),
    min_size=1,
    max_size=12,
)


@dataclass
class Played(Bench):
    """A bench after its collection; `ending` is None if the model gave no reply."""

    ending: Collection | None = None


def play(turns: Sequence[Search | ModelReply | ModelUnavailable], *scripts: Sequence[Scripted]) -> Played:
    """Play `turns`, the last one for ever, against two tools with these results."""
    names = (ToolName.QUERY_LOGS, ToolName.QUERY_MYSQL)
    parts = Played(
        tools=[FakeEvidenceTool(name, script) for name, script in zip(names, scripts, strict=True)]
    )
    script = [turn.reply if isinstance(turn, Search) else turn for turn in turns]
    try:
        parts.ending = parts.collect(*script)
    except AgentUnavailable:
        parts.ending = None
    return parts


def orders_to_stop(parts: Bench) -> int:
    return sum(
        1 for event in parts.recorder.of(TraceType.COLLECTION_STOPPED) if event.attributes["delivered"]
    )


@settings(max_examples=150, deadline=None)
@given(turns=st.lists(any_turn, min_size=1, max_size=20), logs=results, rows=results)
def test_whatever_the_model_does_the_collection_ends_by_the_rules(
    turns: list[Search | ModelReply | ModelUnavailable], logs: list[Scripted], rows: list[Scripted]
) -> None:
    parts = play(turns, logs, rows)
    stays_within_its_budgets(parts)
    asks_no_back_end_twice(parts)
    orders_to_stop_once(parts)
    shows_ids_of_calls_that_ran_only(parts)
    ends_with_what_the_trace_says(parts)


def stays_within_its_budgets(parts: Played) -> None:
    budget = parts.run.budget
    assert budget.model_calls == len(parts.model.requests) == len(parts.recorder.model_calls)
    assert budget.model_calls <= budget.limits.max_model_calls
    assert all(len(tool.requests) <= budget.limits.max_calls_per_tool for tool in parts.tools)
    assert sum(step.input_tokens for step in parts.recorder.agent_steps) == budget.input_tokens


def asks_no_back_end_twice(parts: Played) -> None:
    for tool in parts.tools:
        scopes = [tool.scope_key(request) for request in tool.requests]
        assert len(scopes) == len(set(scopes))


def orders_to_stop_once(parts: Played) -> None:
    for request in parts.model.requests:
        orders = sum(1 for seen in observations(request) if seen["stop_required"])
        assert orders <= 1
        assert (request.tools == ()) == (orders == 1)
    types = [event.type for event in parts.recorder.events]
    delivered = [
        number
        for number, event in enumerate(parts.recorder.events)
        if event.type is TraceType.COLLECTION_STOPPED and event.attributes["delivered"]
    ]
    assert len(delivered) <= 1
    for number in delivered:
        assert TraceType.TOOL_INVOCATION not in types[number:]


def shows_ids_of_calls_that_ran_only(parts: Played) -> None:
    ran = {row.tool_call_id for row in parts.recorder.tool_invocations}
    messages = parts.model.requests[-1].messages
    called = [one.id for message in messages for one in message.tool_calls]
    answered = [message.tool_call_id for message in messages if message.role == "tool"]
    assert answered == called
    assert len(called) == len(set(called))
    for seen in observations(parts.model.requests[-1]):
        assert seen["tool_call_id"] is None or seen["tool_call_id"] in ran
        assert "returned_count" not in json.dumps(seen)


def ends_with_what_the_trace_says(parts: Played) -> None:
    last_kind = parts.recorder.agent_steps[-1].kind
    match parts.ending:
        case Completed():
            assert last_kind == "DRAFT"
        case Stopped(reason=reason):
            assert reason.value in parts.stop_reasons
        case None:
            assert last_kind == "UNANSWERED"


def turns_after_the_last_search(parts: Played) -> int:
    """How many model calls were made after the one whose request was the last to reach a back end."""
    steps_that_ran = [row.step_id for row in parts.recorder.tool_invocations]
    assert steps_that_ran[-1] is not None
    return len(parts.recorder.agent_steps) - steps_that_ran[-1]


@settings(max_examples=80, deadline=None)
@given(
    turns=st.lists(searches(["pool", " POOL "], rates=["due"]), min_size=1, max_size=12),
    logs=results,
    rows=results,
)
def test_once_only_known_searches_are_asked_three_more_calls_end_it(
    turns: list[Search], logs: list[Scripted], rows: list[Scripted]
) -> None:
    parts = play(turns, logs, rows)
    assert parts.ending == Stopped(StopReason.INFORMATION_SATURATED)
    assert turns_after_the_last_search(parts) <= 3


@settings(max_examples=120, deadline=None)
@given(
    turns=st.lists(st.one_of(searches(["pool", " POOL "]), illegal_turns), min_size=1, max_size=12),
    logs=results,
    rows=results,
)
def test_mixing_in_illegal_calls_stretches_that_by_one_call(
    turns: list[Search | ModelReply], logs: list[Scripted], rows: list[Scripted]
) -> None:
    parts = play(turns, logs, rows)
    assert isinstance(parts.ending, Stopped)
    if parts.recorder.tool_invocations:
        assert turns_after_the_last_search(parts) <= 4


@settings(max_examples=120, deadline=None)
@given(
    turns=st.lists(
        searches(["pool", " POOL ", "Pool  "], tools=["query_logs"]),
        min_size=1,
        max_size=12,
    ),
    logs=results,
)
def test_one_search_in_many_spellings_makes_at_most_five_model_calls(
    turns: list[Search], logs: list[Scripted]
) -> None:
    """Whatever is rated and however, and whether the search finds, fails or finds nothing. The router's call
    makes six.
    """
    parts = play(turns, logs, [found()])
    assert isinstance(parts.ending, Stopped)
    assert len(parts.model.requests) <= 5
    assert parts.fetches <= 1


@settings(max_examples=40, deadline=None)
@given(
    gain=GAINS,
    rates=st.sampled_from(["due", "made up after the first"]),
    words=st.permutations(["a", "b"]),
    logs=results,
)
def test_two_searches_in_turn_make_at_most_five_model_calls(
    gain: str, rates: str, words: list[str], logs: list[Scripted]
) -> None:
    """Also when they fail or find nothing. The router's call makes six."""
    first = [Search(words[0], "due", gain), Search(words[1], "due", gain)]
    rest = Search(words[0], "due", gain), Search(words[1], "due" if rates == "due" else "made up", gain)
    parts = play([*first, *rest * 6], logs, [found()])
    assert isinstance(parts.ending, Stopped)
    assert len(parts.model.requests) <= 5
    assert parts.fetches <= 2
