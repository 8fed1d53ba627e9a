"""One guarded question to a model: a single JSON object out, a single parsed answer back.

Shared by the router, the judge and the repairer. The model gets no tools and no memory: every
attempt sends the same two messages.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TypeVar

from superbiz_cli.harness.contract.limits import AttemptLimits, utf8_size
from superbiz_cli.harness.contract.model import Message, ModelReply, ModelRequest, ModelRole, RetryFailure
from superbiz_cli.harness.contract.strict import JsonValue, canonical_json
from superbiz_cli.harness.contract.unwrap import unwrap_json
from superbiz_cli.harness.core.model_gate import ModelGate
from superbiz_cli.harness.core.run import Run
from superbiz_cli.harness.retry.attempts import AttemptFailed, AttemptsExhausted, run_attempts
from superbiz_cli.harness.retry.policy import RetryPolicy

T = TypeVar("T")

_CUT_SHORT = frozenset({"length", "content_filter"})


def _keep_quiet(_attempt: int, _failure: RetryFailure | None) -> None:
    return None


@dataclass(frozen=True, slots=True)
class GuardCall:
    """A kind of question: which model, which role, how often, how long and how large.

    `max_input_bytes` bounds both messages together, `max_output_bytes` the reply (UTF-8).
    """

    gate: ModelGate
    run: Run
    system_prompt: str
    role: ModelRole
    policy: RetryPolicy
    times: AttemptLimits
    max_input_bytes: int
    max_output_bytes: int

    def ask(
        self,
        payload: Mapping[str, JsonValue],
        parse: Callable[[str], T],
        on_attempt: Callable[[int, RetryFailure | None], None] = _keep_quiet,
    ) -> T:
        """Send `payload` as one JSON object and return the parsed reply.

        `parse` gets the reply without its accepted wrappers and raises AttemptFailed for what it
        does not understand. `on_attempt(number, failure)` is called after every attempt, with None
        for the one that succeeded.

        Raises AttemptsExhausted (after no attempt, with BUSINESS_REJECTION, if the payload is too
        large); RunAborted and BudgetExceeded pass through untouched.
        """
        request = self.request(payload)
        if request.size_bytes() > self.max_input_bytes:
            raise AttemptsExhausted(RetryFailure.BUSINESS_REJECTION, attempts=0)

        def attempt(number: int, timeout_s: float) -> T:
            answer = parse(unwrap_json(self._reply_text(request, number, timeout_s)))
            on_attempt(number, None)
            return answer

        return run_attempts(
            attempt, policy=self.policy, limits=self.times, run=self.run, on_failure=on_attempt
        )

    def request(self, payload: Mapping[str, JsonValue]) -> ModelRequest:
        """Return the request for `payload`: the system prompt and one JSON object, no tools."""
        return ModelRequest(
            role=self.role,
            messages=(
                Message("system", self.system_prompt),
                Message("user", canonical_json(dict(payload))),
            ),
        )

    def _reply_text(self, request: ModelRequest, number: int, timeout_s: float) -> str:
        self._reserve(request.size_bytes())
        reply = self.gate.call(request, timeout_s=timeout_s, attempt=number).reply
        self._reserve(reply.size_bytes())
        return self._usable_text(reply)

    def _reserve(self, size_bytes: int) -> None:
        self.run.check_active()
        with self.run.ending_on_exhaustion():
            self.run.budget.reserve_bytes(size_bytes)

    def _usable_text(self, reply: ModelReply) -> str:
        if reply.finish_reason in _CUT_SHORT:
            raise AttemptFailed(RetryFailure.INVALID_OUTPUT)
        is_blank = not reply.content.strip()
        if reply.tool_calls or is_blank or utf8_size(reply.content) > self.max_output_bytes:
            raise AttemptFailed(RetryFailure.SCHEMA_INVALID)
        return reply.content
