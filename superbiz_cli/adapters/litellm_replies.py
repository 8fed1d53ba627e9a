"""From what litellm returned, or raised, to the model port: no text of the provider passes.

Failures are named by what was seen on the wire, then by status, then by exception type.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

from superbiz_cli.adapters.http_failures import failure_for_status, hint_for_status
from superbiz_cli.adapters.litellm_shapes import Aside
from superbiz_cli.adapters.litellm_transport import Exchange, WireFault
from superbiz_cli.harness.contract.model import (
    ModelReply,
    ModelToolCall,
    ModelUnavailable,
    ReportedUsage,
    RetryFailure,
)

HIDDEN_KEY = "[REDACTED_API_KEY]"
_MIN_KEY_CHARS = 8
_MODEL_NAME_CHARS = 128


def read_reply(response: Any, aside: Aside, *, api_key: str) -> ModelReply:
    """Read a litellm `ModelResponse` and what stood beside it.

    The endpoint knows the key that it was sent: a reply that repeats it is read without it. Raises
    ModelUnavailable(INVALID_OUTPUT) if it is not one reply.
    """
    choices = getattr(response, "choices", None)
    if not isinstance(choices, list) or len(choices) != 1:
        raise _invalid("the endpoint sent no answer, or several")
    choice = choices[0]
    message = choice.message

    def keyless(text: str) -> str:
        return text.replace(api_key, HIDDEN_KEY) if len(api_key) >= _MIN_KEY_CHARS else text

    reply = ModelReply(
        content=keyless(_text(message.content)),
        tool_calls=tuple(
            ModelToolCall(keyless(call.id), keyless(call.name), keyless(call.arguments))
            for call in aside.tool_calls or _calls_of(message)
        ),
        finish_reason=keyless(choice.finish_reason) if isinstance(choice.finish_reason, str) else None,
        usage=aside.usage or _usage(getattr(response, "usage", None)),
        model=_model_name(getattr(response, "model", None), keyless),
        cost_usd=_cost(getattr(response, "_hidden_params", None)),
    )
    _refuse_lone_surrogates(reply)
    return reply


def classify(error: BaseException, exchange: Exchange) -> ModelUnavailable:
    """Name the failure of a call that raised `error`; its text is never looked at."""
    if exchange.fault is not None:
        return _wire_failure(exchange, exchange.fault)
    if exchange.status is not None:
        return _status_failure(error, exchange, exchange.status)
    if isinstance(error, TimeoutError) or type(error).__name__ in ("Timeout", "APITimeoutError"):
        return ModelUnavailable(RetryFailure.TIMEOUT)
    if type(error).__name__ == "UnsupportedParamsError":
        hint = "the model does not accept a configured parameter: remove temperature or max_output_tokens"
        return ModelUnavailable(RetryFailure.UNKNOWN, hint=hint)
    return ModelUnavailable(
        RetryFailure.UNKNOWN, hint="the request was refused before it was sent: check the model's route"
    )


def _status_failure(error: BaseException, exchange: Exchange, status: int) -> ModelUnavailable:
    hint = hint_for_status(status)
    if status >= 400 and type(error).__name__ == "ContextWindowExceededError":
        hint = f"the request is longer than the model's context ({status})"
    return ModelUnavailable(
        failure_for_status(status), http_status=status, retry_after_s=exchange.retry_after_s, hint=hint
    )


def _wire_failure(exchange: Exchange, fault: WireFault) -> ModelUnavailable:
    address = exchange.address
    match fault:
        case WireFault.TIMEOUT:
            return ModelUnavailable(RetryFailure.TIMEOUT, http_status=exchange.status)
        case WireFault.REFUSED:
            hint = f"connection refused at {address}: is the model server running?"
        case WireFault.UNRESOLVED:
            hint = f"the host of {address} cannot be found: check api_base"
        case WireFault.TLS:
            hint = f"no trusted TLS connection to {address}: check the certificate or SSL_CERT_FILE"
        case WireFault.CONNECT:
            hint = f"no connection to {address}: is the model server running?"
        case WireFault.BROKEN:
            hint = f"{address} broke the connection off"
        case WireFault.OVERSIZE:
            hint = f"the answer of {address} is too large"
        case WireFault.ENCODED:
            hint = f"{address} sent a compressed answer, which was not asked for"
    is_bad_body = fault in (WireFault.OVERSIZE, WireFault.ENCODED)
    failure = RetryFailure.INVALID_OUTPUT if is_bad_body else RetryFailure.TRANSPORT
    return ModelUnavailable(failure, http_status=exchange.status, hint=hint)


def _text(value: object) -> str:
    if value is None:
        return ""
    if not isinstance(value, str):
        raise _invalid("the answer is not text")
    return value


def _calls_of(message: Any) -> tuple[ModelToolCall, ...]:
    """Read the calls of a reply in a format that `litellm_shapes` does not know."""
    return tuple(
        ModelToolCall(str(call.id or ""), _text(call.function.name), _text(call.function.arguments))
        for call in message.tool_calls or ()
    )


def _usage(usage: Any) -> ReportedUsage:
    return ReportedUsage(
        input_tokens=getattr(usage, "prompt_tokens", None),
        output_tokens=getattr(usage, "completion_tokens", None),
    )


def _model_name(value: object, keyless: Callable[[str], str]) -> str | None:
    if not isinstance(value, str):
        return None
    return "".join(char for char in keyless(value) if char.isprintable())[:_MODEL_NAME_CHARS] or None


def _cost(hidden: object) -> float | None:
    cost = hidden.get("response_cost") if isinstance(hidden, dict) else None
    if isinstance(cost, bool) or not isinstance(cost, int | float):
        return None
    return float(cost) if math.isfinite(cost) and cost > 0 else None


def _refuse_lone_surrogates(reply: ModelReply) -> None:
    texts = [reply.content]
    for call in reply.tool_calls:
        texts += [call.id, call.name, call.arguments]
    try:
        "".join(texts).encode("utf-8")
    except UnicodeEncodeError:
        raise _invalid("the answer is not valid Unicode") from None


def _invalid(hint: str) -> ModelUnavailable:
    return ModelUnavailable(RetryFailure.INVALID_OUTPUT, hint=hint)
