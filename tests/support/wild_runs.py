"""Whole Runs in memory in which model, tools, store, audit, clock and user do whatever a tape says.

A tape is a sequence of bytes; every decision of the world reads the next one, and an empty tape says 0,
which is always the tame choice. So any bytes are a world, shorter ones a simpler world, and each failure
can be played again from its bytes.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Any, TypeVar

from superbiz_cli.harness.application.diagnose import run_question
from superbiz_cli.harness.application.parts import Parts, Prompts, Question
from superbiz_cli.harness.audit.chain import LedgerTotals
from superbiz_cli.harness.audit.events import RecordedEvent
from superbiz_cli.harness.audit.failure import AuditFault, AuditUnavailable
from superbiz_cli.harness.audit.ledger import Ledger
from superbiz_cli.harness.audit.no_archive import NoArchive
from superbiz_cli.harness.audit.rows import RunStart
from superbiz_cli.harness.audit.sink import EventListener
from superbiz_cli.harness.contract.evidence import IncidentWindow
from superbiz_cli.harness.contract.limits import BudgetLimits, PayloadLimits, RunLimits
from superbiz_cli.harness.contract.model import (
    CancelSignal,
    ModelReply,
    ModelRequest,
    ModelRole,
    ModelToolCall,
    ModelUnavailable,
    ReportedUsage,
    RetryFailure,
)
from superbiz_cli.harness.contract.report import RunResult
from superbiz_cli.harness.contract.status import CancelReason, EvidenceStatus
from superbiz_cli.harness.contract.strict import JsonValue, canonical_json
from superbiz_cli.harness.contract.tool_call import ToolName
from superbiz_cli.harness.core.run import Run
from superbiz_cli.harness.tool.catalog import ToolCatalog
from superbiz_cli.harness.tool.invocation import StoreFault
from superbiz_cli.harness.tool.port import CallContext, Projection, ProjectionFailed, ToolExecutionFailed
from superbiz_cli.harness.tool.redact import Redactor
from superbiz_cli.harness.tool.redact_rules import registered_values
from tests.support.clock import FakeClock
from tests.support.drafts import LOG_FACTS
from tests.support.fakes import FakeEvidenceTool, FakeRequest, InMemoryInvocationStore, Scripted
from tests.support.runs import start_run
from tests.support.scripted import owed_id, shown_ids

T = TypeVar("T")
TAME = 128

SECRET = "wistfulharbourlantern"
ORDERS = "You are the keeper of the pool and nobody but you may look into it before the bell"
PROMPTS = Prompts({role: f"{ORDERS}. You answer as {role.value}." for role in ModelRole})
# One for each turn in which the model states something: where it turns up tells what was published.
WORDS = (
    "amber",
    "basil",
    "cedar",
    "dahlia",
    "ebony",
    "fennel",
    "garnet",
    "hazel",
    "indigo",
    "jasmine",
    "kelp",
)
QUERY = f"payment times out, is {SECRET} wrong?"
USER_LEAVES = (CancelReason.USER_REQUESTED, CancelReason.CLIENT_DISCONNECTED)
SPELLINGS = ("pool", " POOL ", "Pool", "pool  ")


class Tape:
    """Decisions read from bytes; an empty tape decides 0."""

    def __init__(self, decisions: bytes) -> None:
        self._left = iter(decisions)

    def number(self, below: int) -> int:
        """Return a number from 0 to below - 1; half of the bytes are tame."""
        byte = next(self._left, 0)
        return byte % below if byte >= TAME else 0

    def choice(self, options: Sequence[T]) -> T:
        """Return one of `options`, the first from an empty tape."""
        return options[self.number(len(options))]

    def rarely(self) -> bool:
        """Return True about one time in twenty."""
        return self.number(10) == 9


class WildClock(FakeClock):
    """A fake clock whose calendar can be set back or forward."""

    def __init__(self) -> None:
        super().__init__()
        self._shift = timedelta()

    def now(self) -> datetime:
        return super().now() + self._shift

    def set_calendar(self, hours: int) -> None:
        self._shift = timedelta(hours=hours)


class WildArchive(NoArchive):
    """Keeps what a database would hold of the Run, or fails when it is told to."""

    def __init__(self, *, fails_to_start: bool, fails_to_finish: bool) -> None:
        self.fails_to_start = fails_to_start
        self.fails_to_finish = fails_to_finish
        self.started: RunStart | None = None
        self.finished: RunResult | None = None
        self.totals: LedgerTotals | None = None

    def start_run(self, start: RunStart) -> None:
        _fail_if(self.fails_to_start)
        self.started = start

    def finish_run(self, result: RunResult, totals: LedgerTotals) -> None:
        _fail_if(self.fails_to_finish)
        self.finished, self.totals = result, totals


class WildSink(EventListener):
    """A subscriber that keeps every row as text and fails after `lasts` events."""

    def __init__(self, lasts: int) -> None:
        super().__init__("wild", self._keep)
        self.rows: list[str] = []
        self._left = lasts

    def _keep(self, event: RecordedEvent) -> None:
        self._left -= 1
        _fail_if(self._left < 0)
        self.rows.append(repr(event))

    def model_call(self, run_id: str, record: object) -> int | None:
        self.rows.append(repr(record))
        return len(self.rows)

    agent_step = tool_invocation = model_call


class WildTool(FakeEvidenceTool):
    """A tool whose results come from the tape; as the real ones it redacts what it projects."""

    def __init__(self, name: ToolName, world: WildRun) -> None:
        super().__init__(name)
        self._world = world

    def fetch(self, request: FakeRequest, context: CallContext) -> str:
        self.results.append(_result(self._world.tape))
        self.results[0] = self.results[len(self.requests) + 1]
        self._world.disturb()
        return super().fetch(request, context)

    def _script(self, number: int) -> Scripted:
        return self.results[number + 1]

    def project(self, request: FakeRequest, raw_response: str, *, tool_call_id: str) -> Projection:
        projection = super().project(request, raw_response, tool_call_id=tool_call_id)
        redacted = self._world.redactor.redact(projection.agent_result)
        return Projection(redacted, projection.evidence_status)

    def scope_display(self, request: FakeRequest) -> str:
        return self._world.redactor.redact(super().scope_display(request))


@dataclass(frozen=True)
class Judged:
    """What a judge was shown, and its verdict."""

    draft: dict[str, Any]
    verdict: str


@dataclass
class WildRun:
    """One world, from its bytes. `play` runs it to its end."""

    decisions: bytes
    judged: list[Judged] = field(default_factory=list)
    requests: list[ModelRequest] = field(default_factory=list)
    events: list[RecordedEvent] = field(default_factory=list)
    warnings: list[str] = field(default_factory=list)
    said: set[str] = field(default_factory=set)
    name: str = "wild/model"

    def __post_init__(self) -> None:
        self.tape = tape = Tape(self.decisions)
        self.clock = WildClock()
        self.limits = RunLimits(budget=_budget(tape), payload=_payload(tape))
        self.run: Run = start_run(self.clock, limits=self.limits.budget)
        self.redactor = Redactor(registered_values([SECRET]))
        self.store = InMemoryInvocationStore(clock=self.clock)
        self.archive = WildArchive(fails_to_start=tape.rarely(), fails_to_finish=tape.rarely())
        self.sink = WildSink(tape.number(24) if tape.rarely() else 1_000)
        self.tools = [WildTool(name, self) for name in (ToolName.QUERY_LOGS, ToolName.QUERY_MYSQL)]
        # 0: anything; 1: one search in many spellings; 2: two searches in turn, by the rules.
        self.loop = tape.choice((0, 0, 0, 0, 0, 0, 1, 2))

    def play(self) -> RunResult:
        parts = Parts(
            run=self.run,
            agent_model=self,
            guard_model=self,
            prompts=PROMPTS,
            catalog=ToolCatalog(self.tools),
            store=self.store,
            archive=self.archive,
            ledger=Ledger(
                self.run.run_id,
                self.clock,
                [self.sink, EventListener("events", self.events.append)],
                warn=self.warnings.append,
            ),
            limits=self.limits,
            redact=self.redactor.redact,
            warn=self.warnings.append,
        )
        return run_question(Question(query=QUERY, incident=IncidentWindow(until=self.clock.now())), parts)

    def disturb(self) -> None:
        """Let something happen that the Run did not ask for, now and then."""
        tape = self.tape
        if self.loop or not tape.rarely():
            return
        match tape.number(8):
            case 0:
                self.store.faults[tape.choice(("find", "begin", "complete"))] = tape.choice(list(StoreFault))
            case 1:
                self.store.faults.clear()
            case 2 if self.store.ids():
                self.store.forget(*tape.choice(self.store.ids()))
            case 3:
                self.clock.advance(tape.choice((1, 60, 10_000)))
            case 4:
                self.clock.set_calendar(tape.choice((-48, 48)))
            case 5:
                self.run.cancel(tape.choice(USER_LEAVES))
            case _:
                self.clock.advance(0.5)

    def complete(self, request: ModelRequest, *, timeout_s: float, cancel: CancelSignal) -> ModelReply:
        """Answer as the tape says. Implements `contract.model.ChatModel`."""
        self.requests.append(request)
        self.disturb()
        tape = self.tape
        if tape.rarely() and not self.loop:
            raise ModelUnavailable(
                tape.choice(list(RetryFailure)), retry_after_s=tape.choice((None, 5.0, 500.0))
            )
        match request.role:
            case ModelRole.AGENT:
                reply = self._agent(request)
            case ModelRole.ROUTER:
                reply = _says(_intent(tape, is_tame=self.loop > 0))
            case ModelRole.JUDGE:
                reply = _says(self._verdict(request))
            case _:
                reply = _says(self._repair(request))
        return ModelReply(
            content=reply.content,
            tool_calls=reply.tool_calls,
            finish_reason="length" if tape.rarely() and not self.loop else reply.finish_reason,
            usage=ReportedUsage(*_usage(tape)),
            model="wild-1",
        )

    def _agent(self, request: ModelRequest) -> ModelReply:
        if self.loop:
            return self._looping(request)
        number = self.tape.number(8)
        if number < 3 and len(self.requests) < 3 + number:
            return _calls(self._search(request, words=("pool", "slow", "lock", "disk")))
        if number == 3:
            return _calls(*[self._search(request, words=("pool", "slow"))] * 2, self._odd_call())
        if number == 4:
            return _calls(self._odd_call())
        if number == 5:
            return _says(self.tape.choice(("", "It is the pool.", "{}", "[]", '{"analysis":[]}', "\ud800")))
        return _says(self._draft(request))

    def _looping(self, request: ModelRequest) -> ModelReply:
        turn = sum(1 for earlier in self.requests if earlier.role is ModelRole.AGENT)
        words = SPELLINGS if self.loop == 1 else (("a", "b")[turn % 2],)
        return _calls(self._search(request, words=words, is_by_the_rules=self.loop == 2, tool="query_logs"))

    def _search(
        self,
        request: ModelRequest,
        *,
        words: Sequence[str],
        is_by_the_rules: bool = False,
        tool: str | None = None,
    ) -> ModelToolCall:
        tape = self.tape
        owed = owed_id(request)
        rating = owed and {"tool_call_id": owed, "information_gain": tape.choice(("GAINED", "NO_GAIN"))}
        if not is_by_the_rules:
            made_up = {"tool_call_id": "ev-made-up", "information_gain": "GAINED"}
            rating = tape.choice((rating, rating, rating, rating, None, made_up))
        payload = {"query": tape.choice(words)}
        named = tool or tape.choice(("query_logs", "query_mysql"))
        return ModelToolCall("c", named, canonical_json({"previous_observation": rating, "input": payload}))

    def _odd_call(self) -> ModelToolCall:
        arguments = self.tape.choice(
            ("[1,2]", "", "{'a'}", '{"input":{"query":"x"}}', '{"previous_observation":null}', "[" * 99)
        )
        return ModelToolCall("", self.tape.choice(("query_logs", "bash", "\x1b[2J")), arguments)

    def _draft(self, request: ModelRequest) -> str:
        tape = self.tape
        ids = [*shown_ids(request)[:1], *shown_ids(request)[1:], "ev-made-up", "", "ev-zz-9"]
        word = WORDS[len(self.requests) % len(WORDS)]
        items = [
            {
                "analysis_id": f"a{number}",
                "kind": tape.choice(("NORMAL", "NORMAL", "NORMAL", "NEGATIVE_OBSERVATION")),
                "text": self._statement(word),
                "tool_call_ids": [tape.choice([ids[0], *ids])],
            }
            for number in range(1 + tape.number(2))
        ]
        conclusion = {"text": self._statement(word), "based_on_analysis_ids": ["a0"]}
        advice = {"text": self._statement(word), "based_on_analysis_ids": ["a0"]}
        step = {"action": f"Restart the {word}", "requires_human_confirmation": False}
        return json.dumps(
            {
                "analysis": items,
                "conclusion": None if tape.number(6) == 5 else conclusion,
                "action_plan": [step | {"based_on_analysis_ids": ["a0"]}] * tape.number(2),
                "recommendations": [advice] * tape.number(2),
                "limitations": {"checked_scope": "logs", "missing_info": ["x"] * tape.number(2)},
            }
        )

    def _statement(self, word: str) -> str:
        self.said.add(word)
        text = self.tape.choice(
            (
                "37 requests timed out after 30000ms",
                "37 requests timed out after 30000ms",
                "The connection pool is exhausted",
                "4242 requests were refused",
                f"As I was told: {ORDERS}",
                "\x1b[31mthe pool\u202e",
            )
        )
        return f"{text}, {word}"

    def _verdict(self, request: ModelRequest) -> str:
        tape = self.tape
        answers = (
            ("SUPPORTED", '{"verdict":"SUPPORTED","reason":"it is there"}'),
            ("SUPPORTED", '{"verdict":"SUPPORTED","reason":"it is there"}'),
            ("UNSUPPORTED", '{"verdict":"UNSUPPORTED","reason":"it is not"}'),
            ("", '{"verdict":"supported","reason":"it is there"}'),
            ("", "SUPPORTED"),
            ("SUPPORTED", canonical_json({"verdict": "SUPPORTED", "reason": ORDERS})),
        )
        verdict, answer = tape.choice(answers)
        shown = json.loads(request.messages[-1].content)
        self.judged.append(Judged(shown["draft"], verdict))
        self.disturb()
        return answer

    def _repair(self, request: ModelRequest) -> str:
        told = json.loads(request.messages[-1].content)
        draft, available = told["draft"], told["available"]
        found = [one["tool_call_id"] for one in available if one["evidence_status"] == "EVIDENCE_FOUND"]
        for item in draft["analysis"] or ():
            item["tool_call_ids"] = found[:1] or ["ev-made-up"]
            if self.tape.rarely():
                item["text"] = "something else"
        return json.dumps(draft) if self.tape.number(6) < 5 else "no"


def _budget(tape: Tape) -> BudgetLimits:
    if not tape.rarely():
        return BudgetLimits()
    kind = tape.choice(
        ("max_model_calls", "max_tool_calls", "max_calls_per_tool", "max_total_tokens", "max_run_bytes")
    )
    below = {"max_total_tokens": 2_000, "max_run_bytes": 8_000}.get(kind, 6)
    return BudgetLimits(**{kind: 1 + tape.number(256) * below // 256})


def _payload(tape: Tape) -> PayloadLimits:
    return PayloadLimits(draft_bytes=300, agent_result_bytes=900) if tape.rarely() else PayloadLimits()


def _usage(tape: Tape) -> tuple[object, object]:
    return (90, 8) if not tape.rarely() else tape.choice(((None, None), (-5, 10**12), ("9", True), (0, 0)))


def _intent(tape: Tape, *, is_tame: bool) -> str:
    diagnosis = '{"intent":"DIAGNOSIS"}'
    if is_tame or not tape.rarely():
        return diagnosis
    return tape.choice(
        (
            '{"intent":"SYSTEM_CHAT"}',
            '{"intent":"KNOWLEDGE_QUERY"}',
            "DIAGNOSIS",
            "",
            f"{diagnosis} {diagnosis}",
        )
    )


def _result(tape: Tape) -> Scripted:
    secret: dict[str, JsonValue] = {"note": f"asked with {SECRET}"}
    return tape.choice(
        (
            Scripted(payload={**LOG_FACTS.payload, **secret}),
            Scripted(payload={**LOG_FACTS.payload, **secret}),
            Scripted(payload={"events": [], "summary": f"{ORDERS} {SECRET}"}),
            Scripted(status=EvidenceStatus.NO_EVIDENCE),
            Scripted(error=ToolExecutionFailed("timeout")),
            Scripted(error=ValueError(f"password={SECRET}")),
            Scripted(projection_error=ProjectionFailed()),
            Scripted(declared=EvidenceStatus.NO_EVIDENCE),
            Scripted(raw_bytes=1_100_000),
            Scripted(agent_result='{"evidence_status":"EVIDENCE_FOUND"}'),
        )
    )


def _fail_if(is_due: bool) -> None:
    if is_due:
        raise AuditUnavailable(AuditFault.LOCKED, where="x", sentence="It is locked.", remedy="wait")


def _says(content: str) -> ModelReply:
    return ModelReply(content=content, finish_reason="stop")


def _calls(*calls: ModelToolCall) -> ModelReply:
    return ModelReply(content="thinking", tool_calls=calls, finish_reason="tool_calls")
