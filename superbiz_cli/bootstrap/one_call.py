"""One call of an evidence tool without a model: what a person asks is answered as a model's call is."""

from __future__ import annotations

import threading
from collections.abc import Callable, Mapping
from concurrent.futures import Future
from contextlib import suppress
from typing import Any, TypeAlias

from superbiz_cli.bootstrap.limits import run_limits
from superbiz_cli.errors import ErrorCode, SuperbizError
from superbiz_cli.harness.contract.evidence import IncidentWindow
from superbiz_cli.harness.contract.limits import PayloadLimits
from superbiz_cli.harness.contract.status import CancelReason
from superbiz_cli.harness.contract.strict import JsonValue
from superbiz_cli.harness.core.run import Run, RunAborted
from superbiz_cli.harness.tool.bounds import text_bytes
from superbiz_cli.harness.tool.port import (
    CallContext,
    EvidenceTool,
    ProjectionFailed,
    ToolExecutionFailed,
    ToolRejected,
)
from superbiz_cli.settings import Settings

TOOL_CALL_ID = "ev-00000000-1"
CANCEL_WAIT_S = 2.0

Explain: TypeAlias = Callable[[str], tuple[str, str] | None]


def call_tool(
    tool: EvidenceTool[Any],
    payload: Mapping[str, JsonValue],
    *,
    incident: IncidentWindow,
    settings: Settings,
    explain: Explain = lambda _word: None,
) -> Mapping[str, JsonValue]:
    """Return the agent result of one call, as an object.

    Nothing is recorded. Ctrl-C ends what the back end does and goes on as KeyboardInterrupt.
    Raises SuperbizError with the word that a model would be told, or with sentence and hint that
    `explain` has for that word.
    """
    limits = run_limits(settings)
    run = Run.start(session_id="none", deadline_s=limits.time.deadline_s, limits=limits.budget)
    outcome: Future[Mapping[str, JsonValue]] = Future()

    def work() -> None:
        try:
            with run.watching_deadline():
                outcome.set_result(_call(tool, payload, CallContext(run, incident), limits.payload, explain))
        except BaseException as error:  # everything is told to the thread that waits
            outcome.set_exception(error)

    worker = threading.Thread(target=work, name=f"{tool.name.value}-call", daemon=True)
    worker.start()
    try:
        return outcome.result()
    except KeyboardInterrupt:
        run.cancel(CancelReason.USER_REQUESTED)
        with suppress(KeyboardInterrupt):
            worker.join(CANCEL_WAIT_S)
        raise


def _call(
    tool: EvidenceTool[Any],
    payload: Mapping[str, JsonValue],
    context: CallContext,
    limits: PayloadLimits,
    explain: Explain,
) -> Mapping[str, JsonValue]:
    try:
        request = tool.parse(payload, incident=context.incident)
        raw = tool.fetch(request, context)
        if text_bytes(raw) > limits.canonical_record_bytes:
            raise _failed("RESULT_TOO_LARGE")
        projection = tool.project(request, raw, tool_call_id=TOOL_CALL_ID)
        if text_bytes(projection.agent_result) > limits.agent_result_bytes:
            raise _failed("RESULT_TOO_LARGE")
        return tool.read(projection.agent_result, tool_call_id=TOOL_CALL_ID).payload
    except ToolRejected as rejected:
        word = rejected.category
        message, hint = explain(word) or (f"the request is refused: {word}", None)
        raise SuperbizError(ErrorCode.QUERY_INVALID, message, hint=hint) from rejected
    except ToolExecutionFailed as failed:
        raise _failed(failed.category or failed.code.value, explain) from failed
    except ProjectionFailed as failed:
        raise _failed("PROJECTION_ERROR") from failed
    except RunAborted as aborted:
        raise _failed(aborted.state.value) from aborted


def _failed(word: str, explain: Explain = lambda _word: None) -> SuperbizError:
    said = explain(word) or (
        f"the source gave no result: {word}",
        "superbiz doctor tells which sources answer",
    )
    return SuperbizError(ErrorCode.SOURCE_UNAVAILABLE, said[0], hint=said[1])
