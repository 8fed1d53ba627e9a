"""The only way to call a model: active, paid for, recorded, and only then answered."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from superbiz_cli.harness.audit.events import ModelCallRecord
from superbiz_cli.harness.audit.recorder import Recorder
from superbiz_cli.harness.contract.model import (
    ChatModel,
    ModelReply,
    ModelRequest,
    ModelUnavailable,
    ReportedUsage,
    RetryFailure,
)
from superbiz_cli.harness.core.budget import CreditedTokens, credit
from superbiz_cli.harness.core.run import Run


def _not_asked(_row_id: int | None) -> None:
    return None


@dataclass(frozen=True, slots=True)
class GatedReply:
    """A reply with what it was charged and the id of its ledger row."""

    reply: ModelReply
    tokens: CreditedTokens
    model_call_id: int | None
    duration_ms: int


@dataclass(frozen=True, slots=True)
class ModelGate:
    """One model behind check_active, budget and ledger. Makes exactly one attempt a call."""

    model: ChatModel
    run: Run
    recorder: Recorder
    prompt_sha256: str | None = None

    def call(
        self,
        request: ModelRequest,
        *,
        timeout_s: float,
        attempt: int = 1,
        on_charged: Callable[[int | None], None] = _not_asked,
    ) -> GatedReply:
        """Send one request and return the reply with its price.

        Raises RunAborted if the Run has ended (also while waiting), BudgetExceeded before the
        request or after its tokens, ModelUnavailable if the attempt failed. A failed attempt is
        charged too, whatever failed: the provider may have billed the prompt. `on_charged` is told
        the id of the ledger row, also of one that ends in an exception.
        """
        run = self.run
        run.check_active()
        with run.ending_on_exhaustion():
            run.budget.reserve_model_call()
        began = run.clock.monotonic()
        try:
            reply = self.model.complete(
                request, timeout_s=min(timeout_s, run.remaining_s()), cancel=run.cancellation
            )
        except Exception as error:
            failure = error.failure if isinstance(error, ModelUnavailable) else RetryFailure.UNKNOWN
            self._charge(request, None, attempt, began, on_charged, failure=failure)
            run.check_active()
            raise
        tokens, row_id, duration_ms = self._charge(request, reply, attempt, began, on_charged)
        run.check_active()
        return GatedReply(reply=reply, tokens=tokens, model_call_id=row_id, duration_ms=duration_ms)

    def _charge(
        self,
        request: ModelRequest,
        reply: ModelReply | None,
        attempt: int,
        began: float,
        on_charged: Callable[[int | None], None],
        *,
        failure: RetryFailure | None = None,
    ) -> tuple[CreditedTokens, int | None, int]:
        request_bytes = request.size_bytes()
        reply_bytes = reply.size_bytes() if reply else 0
        usage = reply.usage if reply else ReportedUsage()
        tokens = credit(usage, request_bytes=request_bytes, reply_bytes=reply_bytes)
        duration_ms = round((self.run.clock.monotonic() - began) * 1000)
        row_id = self.recorder.model_call(
            ModelCallRecord(
                role=request.role,
                model=(reply.model if reply else None) or self.model.name,
                attempt=attempt,
                request_bytes=request_bytes,
                reply_bytes=reply_bytes,
                input_tokens=tokens.input_tokens,
                output_tokens=tokens.output_tokens,
                estimated=tokens.estimated,
                duration_ms=duration_ms,
                failure=failure,
                finish_reason=reply.finish_reason if reply else None,
                prompt_sha256=self.prompt_sha256,
                cost_usd=reply.cost_usd if reply else None,
            )
        )
        on_charged(row_id)
        with self.run.ending_on_exhaustion():
            self.run.budget.record_tokens(tokens)
        return tokens, row_id, duration_ms
