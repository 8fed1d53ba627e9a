"""Stand-ins for the ports of the harness: a store in memory, a scripted tool, a recorder that keeps.

They behave like the real ones (the store passes the conformance suite) and can be told to fail.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from superbiz_cli.harness.audit.events import (
    AgentStepRecord,
    ModelCallRecord,
    ReasoningRecord,
    ToolInvocationRecord,
    TraceEvent,
    TraceType,
)
from superbiz_cli.harness.contract.evidence import IncidentWindow, ReadResult
from superbiz_cli.harness.contract.status import EvidenceStatus, InvocationStatus, RelevanceLevel
from superbiz_cli.harness.contract.strict import (
    JsonValue,
    StrictJsonError,
    canonical_json,
    parse_strict_object,
)
from superbiz_cli.harness.contract.tool_call import ControlView, ToolName
from superbiz_cli.harness.core.clock import Clock
from superbiz_cli.harness.tool.invocation import CanonicalInvocation, StoreError, StoreFault
from superbiz_cli.harness.tool.port import CallContext, Projection, ProjectionFailed, ToolRejected
from tests.support.clock import FakeClock

TWO_HOURS_S = 7200


class InMemoryInvocationStore:
    """An `InvocationStore` over a dict.

    `faults` maps a method's name ("begin", "complete", "find") to the StoreFault that it raises
    until the entry is removed.
    """

    def __init__(
        self,
        *,
        clock: Clock | None = None,
        ttl_s: float = TWO_HOURS_S,
        max_record_bytes: int = 1_048_576,
    ) -> None:
        self.clock = clock or FakeClock()
        self.ttl_s = ttl_s
        self.max_record_bytes = max_record_bytes
        self.faults: dict[str, StoreFault] = {}
        self.closed = False
        self._rows: dict[tuple[str, str], tuple[float, CanonicalInvocation]] = {}

    def begin(self, record: CanonicalInvocation) -> None:
        self._fail_if_told("begin")
        if record.status is not InvocationStatus.PROJECTING:
            raise StoreError(StoreFault.ILLEGAL_TRANSITION)
        self._check_size(record)
        key = (record.run_id, record.tool_call_id)
        if self._live(key) is not None:
            raise StoreError(StoreFault.DUPLICATE)
        self._rows[key] = (self.clock.monotonic() + self.ttl_s, record)

    def complete(self, record: CanonicalInvocation) -> None:
        self._fail_if_told("complete")
        self._check_size(record)
        key = (record.run_id, record.tool_call_id)
        earlier = self._live(key)
        if earlier is None:
            raise StoreError(StoreFault.ABSENT)
        if record.status is InvocationStatus.PROJECTING or earlier != record.as_begun():
            raise StoreError(StoreFault.ILLEGAL_TRANSITION)
        self._rows[key] = (self._rows[key][0], record)

    def find(self, run_id: str, tool_call_id: str) -> CanonicalInvocation | None:
        self._fail_if_told("find")
        return self._live((run_id, tool_call_id))

    def close(self) -> None:
        self.closed = True

    def forget(self, run_id: str, tool_call_id: str) -> None:
        """Drop a record, as if it had expired."""
        del self._rows[run_id, tool_call_id]

    def ids(self) -> list[tuple[str, str]]:
        """The (run_id, tool_call_id) of every record, in order."""
        return list(self._rows)

    def ready(self, run_id: str) -> dict[str, EvidenceStatus]:
        """The evidence status of every READY record of a Run that has not expired, by id."""
        return {
            key[1]: record.evidence_status
            for key in self._rows
            if key[0] == run_id
            and (record := self._live(key)) is not None
            and record.status is InvocationStatus.READY
            and record.evidence_status is not None
        }

    def _live(self, key: tuple[str, str]) -> CanonicalInvocation | None:
        row = self._rows.get(key)
        if row is None or row[0] <= self.clock.monotonic():
            return None
        return row[1]

    def _check_size(self, record: CanonicalInvocation) -> None:
        texts = (record.request, record.raw_response or "", record.agent_result or "")
        if sum(len(text.encode()) for text in texts) > self.max_record_bytes:
            raise StoreError(StoreFault.TOO_LARGE)

    def _fail_if_told(self, method: str) -> None:
        if method in self.faults:
            raise StoreError(self.faults[method])


@dataclass(frozen=True, slots=True)
class Scripted:
    """What one call of a `FakeEvidenceTool` does.

    `payload` goes into the agent result beside its fixed fields; its optional "source", "summary"
    and "excerpt" become those of the ReadResult. `count` defaults to 1 for EVIDENCE_FOUND, else 0.
    `declared` makes the projector declare another status than it writes. `raw_bytes` pads the raw
    response to that size, `error` is raised by `fetch`, `projection_error` by `project`.
    `delay_s` advances the Run's FakeClock while fetching; `on_fetch` runs inside `fetch`.
    """

    status: EvidenceStatus = EvidenceStatus.EVIDENCE_FOUND
    payload: Mapping[str, JsonValue] = field(default_factory=dict)
    count: int | None = None
    relevance: RelevanceLevel | None = None
    truncated: bool = False
    declared: EvidenceStatus | None = None
    raw_bytes: int | None = None
    error: BaseException | None = None
    projection_error: BaseException | None = None
    agent_result: str | None = None
    delay_s: float = 0.0
    on_fetch: Callable[[CallContext], None] | None = None

    @property
    def returned_count(self) -> int:
        if self.count is not None:
            return self.count
        return 1 if self.status is EvidenceStatus.EVIDENCE_FOUND else 0


def found(**payload: JsonValue) -> Scripted:
    """A call that finds something."""
    return Scripted(payload=payload)


def nothing(**payload: JsonValue) -> Scripted:
    """A call that finds nothing."""
    return Scripted(status=EvidenceStatus.NO_EVIDENCE, payload=payload)


def failing(error: BaseException) -> Scripted:
    """A call whose back end raises."""
    return Scripted(error=error)


@dataclass(frozen=True, slots=True)
class FakeRequest:
    """The effective request of a fake tool: the whole input; "query" is always there."""

    input: Mapping[str, JsonValue]

    @property
    def query(self) -> str:
        return str(self.input["query"])


class FakeEvidenceTool:
    """An `EvidenceTool` that answers call number n (from 0) with `results[n]`; the last one repeats.

    `requests` holds what reached the back end, in order: its length is the number of fetches.
    """

    def __init__(
        self, name: ToolName = ToolName.QUERY_LOGS, results: Sequence[Scripted] = (Scripted(),)
    ) -> None:
        self._name = name
        self.results = list(results)
        self.requests: list[FakeRequest] = []

    @property
    def name(self) -> ToolName:
        return self._name

    @property
    def description(self) -> str:
        return f"Fake {self._name.value}."

    @property
    def input_schema(self) -> Mapping[str, Any]:
        return {
            "type": "object",
            "properties": {"query": {"type": "string"}},
            "required": ["query"],
            "additionalProperties": False,
        }

    def parse(self, payload: Mapping[str, JsonValue], *, incident: IncidentWindow) -> FakeRequest:
        query = payload.get("query")
        if not isinstance(query, str) or not query.strip():
            raise ToolRejected("query_missing")
        return FakeRequest(dict(payload))

    def request_json(self, request: FakeRequest) -> str:
        return canonical_json(dict(request.input))

    def scope_key(self, request: FakeRequest) -> str:
        folded = " ".join(request.query.split()).casefold()
        return canonical_json({**request.input, "query": folded})

    def scope_display(self, request: FakeRequest) -> str:
        return request.query[:120]

    def fetch(self, request: FakeRequest, context: CallContext) -> str:
        number = len(self.requests)
        self.requests.append(request)
        script = self._script(number)
        if script.delay_s:
            assert isinstance(context.run.clock, FakeClock), "delay_s needs a Run with a FakeClock"
            context.run.clock.advance(script.delay_s)
        if script.on_fetch:
            script.on_fetch(context)
        if script.error:
            raise script.error
        raw = canonical_json({"call": number, "padding": ""})
        padding = "x" * max(0, (script.raw_bytes or 0) - len(raw))
        return canonical_json({"call": number, "padding": padding})

    def project(self, request: FakeRequest, raw_response: str, *, tool_call_id: str) -> Projection:
        call = parse_strict_object(raw_response)["call"]
        assert isinstance(call, int)
        script = self._script(call)
        if script.projection_error:
            raise script.projection_error
        declared = script.declared or script.status
        if script.agent_result is not None:
            return Projection(script.agent_result, declared)
        result = agent_result_json(script, tool_call_id=tool_call_id, scope=request.input)
        return Projection(result, declared)

    def read(self, agent_result: str, *, tool_call_id: str) -> ReadResult:
        try:
            payload = parse_strict_object(agent_result)
            control = ControlView(
                evidence_status=EvidenceStatus(str(payload["evidence_status"])),
                relevance_level=RelevanceLevel(str(payload["relevance_level"]))
                if "relevance_level" in payload
                else None,
                returned_count=_count(payload["returned_count"]),
                truncated=payload["truncated"] is True,
            )
        except (StrictJsonError, KeyError, ValueError) as error:
            raise ProjectionFailed from error
        is_found = control.evidence_status is EvidenceStatus.EVIDENCE_FOUND
        if payload.get("tool_call_id") != tool_call_id or is_found != (control.returned_count > 0):
            raise ProjectionFailed
        return ReadResult(
            tool_call_id=tool_call_id,
            source=str(payload.get("source", f"fake {self._name.value}")),
            scope=canonical_json(payload.get("scope")),
            summary=str(payload.get("summary", f"{control.returned_count} found")),
            excerpt=str(payload.get("excerpt", "")),
            control=control,
            payload=payload,
        )

    def _script(self, number: int) -> Scripted:
        return self.results[min(number, len(self.results) - 1)]


def agent_result_json(
    script: Scripted, *, tool_call_id: str, scope: Mapping[str, JsonValue] | None = None
) -> str:
    """The agent result that a `FakeEvidenceTool` writes for `script`."""
    relevance = {"relevance_level": script.relevance.value} if script.relevance else {}
    return canonical_json(
        {
            "tool_call_id": tool_call_id,
            "scope": dict(scope or {"query": "anything"}),
            "evidence_status": script.status.value,
            "returned_count": script.returned_count,
            "truncated": script.truncated,
            **relevance,
            **script.payload,
        }
    )


def ready_record(
    run_id: str,
    tool_call_id: str,
    *,
    tool: ToolName = ToolName.QUERY_LOGS,
    script: Scripted | None = None,
    agent_result: str | None = None,
) -> CanonicalInvocation:
    """A READY record that a FakeEvidenceTool can read again (or with an agent result of your own)."""
    chosen = script or Scripted()
    return CanonicalInvocation(
        run_id=run_id,
        tool_call_id=tool_call_id,
        tool_name=tool,
        request='{"query":"anything"}',
        status=InvocationStatus.READY,
        started_at="2026-11-30T10:15:00+00:00",
        evidence_status=chosen.status,
        raw_response="{}",
        agent_result=agent_result or agent_result_json(chosen, tool_call_id=tool_call_id),
        completed_at="2026-11-30T10:15:01+00:00",
    )


def put(store: InMemoryInvocationStore, record: CanonicalInvocation) -> None:
    """Bring `record` into the store by the legal way."""
    store.begin(record.as_begun())
    if record.status is not InvocationStatus.PROJECTING:
        store.complete(record)


class ListRecorder:
    """A `Recorder` that keeps everything in lists; detail rows are numbered from 1."""

    def __init__(self) -> None:
        self.events: list[TraceEvent] = []
        self.model_calls: list[ModelCallRecord] = []
        self.agent_steps: list[AgentStepRecord] = []
        self.tool_invocations: list[ToolInvocationRecord] = []
        self.reasonings: list[ReasoningRecord] = []

    def emit(self, event: TraceEvent) -> None:
        self.events.append(event)

    def model_call(self, record: ModelCallRecord) -> int | None:
        self.model_calls.append(record)
        return len(self.model_calls)

    def agent_step(self, record: AgentStepRecord) -> int | None:
        self.agent_steps.append(record)
        return len(self.agent_steps)

    def tool_invocation(self, record: ToolInvocationRecord) -> int | None:
        self.tool_invocations.append(record)
        return len(self.tool_invocations)

    def reasoning(self, record: ReasoningRecord) -> None:
        self.reasonings.append(record)

    def of(self, *types: TraceType) -> list[TraceEvent]:
        """The events of these types, in order."""
        return [event for event in self.events if event.type in types]


def _count(value: JsonValue) -> int:
    if isinstance(value, bool) or not isinstance(value, int) or value < 0:
        raise ValueError("not a count")
    return value
