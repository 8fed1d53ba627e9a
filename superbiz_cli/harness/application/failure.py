"""The one failure exit: every exception becomes a failure code and our own sentence."""

from __future__ import annotations

from superbiz_cli.harness.agent.loop import AgentUnavailable
from superbiz_cli.harness.agent.outcome import DraftFault
from superbiz_cli.harness.application.intent import RoutingUnavailable
from superbiz_cli.harness.application.knowledge_answer import AnswerUnavailable, KnowledgeLookupFailed
from superbiz_cli.harness.audit.archive import AuditUnavailable
from superbiz_cli.harness.contract.model import RetryFailure
from superbiz_cli.harness.contract.report import Failure
from superbiz_cli.harness.contract.status import FailureCode, RunState, StopReason, failure_code_for
from superbiz_cli.harness.core.budget import BudgetExceeded, BudgetKind
from superbiz_cli.harness.core.run import RunAborted
from superbiz_cli.harness.release.decide import NothingPublishable
from superbiz_cli.harness.tool.invocation import StoreError

_MODEL = "model"
_STORE = "store"
_KNOWLEDGE = "knowledge"
_ENDED = {
    RunState.CANCELLED: ("The diagnosis was cancelled before anything could be published.", None),
    RunState.TIMED_OUT: (
        "The deadline passed before anything could be published.",
        "give it more time with --timeout SECONDS, or narrow the question",
    ),
    RunState.BUDGET_EXHAUSTED: (
        "The budget of the run was used up before any fact was found.",
        "raise the limit in [run], or narrow the question",
    ),
}
_BUDGET_KEY = {
    BudgetKind.MODEL_CALLS: "run.max_model_calls",
    BudgetKind.TOOL_CALLS: "run.max_tool_calls",
    BudgetKind.CALLS_PER_TOOL: "run.max_calls_per_tool",
    BudgetKind.INPUT_TOKENS: "run.max_input_tokens",
    BudgetKind.OUTPUT_TOKENS: "run.max_output_tokens",
    BudgetKind.TOTAL_TOKENS: "run.max_total_tokens",
    BudgetKind.RUN_BYTES: "run.max_run_bytes",
}
_MODEL_FAULT = {
    RetryFailure.TIMEOUT: "did not answer in time",
    RetryFailure.TRANSPORT: "could not be reached or refused to answer for now",
    RetryFailure.INVALID_OUTPUT: "gave an unusable answer",
    RetryFailure.PARSE_ERROR: "gave an answer that is not the JSON asked for",
    RetryFailure.SCHEMA_INVALID: "gave an answer of the wrong shape",
}
_CHECK_MODEL = "run  superbiz doctor  to check the model endpoint"


def failure_of(error: BaseException, *, model: str, guard_model: str) -> Failure:
    """Return what the user is told about `error`. Nothing of the exception's text is used."""
    match error:
        case RunAborted():
            return ended(error.state)
        case BudgetExceeded():
            return Failure(
                code=FailureCode.BUDGET_EXHAUSTED,
                message=f"The budget of the run was used up ({error.kind.value}: limit {error.limit}).",
                hint=f"raise {_BUDGET_KEY[error.kind]}, or narrow the question",
            )
        case RoutingUnavailable():
            return Failure(
                code=FailureCode.ROUTING_UNAVAILABLE,
                message=f"The question was not routed: model {guard_model} {_model_fault(error)}.",
                hint=_CHECK_MODEL,
                unavailable=_MODEL,
            )
        case AgentUnavailable():
            return Failure(
                code=FailureCode.DIAGNOSIS_UNAVAILABLE,
                message=f"The diagnosis could not go on: model {model} {_model_fault(error)}.",
                hint=_CHECK_MODEL,
                unavailable=_MODEL,
            )
        case AnswerUnavailable():
            return Failure(
                code=FailureCode.KNOWLEDGE_UNAVAILABLE,
                message=f"The question was not answered: model {model} {_model_fault(error)}.",
                hint=_CHECK_MODEL,
                unavailable=_MODEL,
            )
        case KnowledgeLookupFailed():
            word = (error.category or error.code.value).replace("_", " ").lower()
            return Failure(
                code=FailureCode.KNOWLEDGE_UNAVAILABLE,
                message=f"The knowledge base could not be asked ({word}).",
                hint="run  superbiz doctor  to check the knowledge base",
                unavailable=_KNOWLEDGE,
            )
        case StoreError():
            return Failure(
                code=FailureCode.DIAGNOSIS_UNAVAILABLE,
                message=f"The canonical store cannot be used ({error.fault.value}): evidence cannot be kept.",
                hint="run  superbiz doctor  to see which store is configured and what it needs",
                unavailable=_STORE,
            )
        case NothingPublishable(reason=DraftFault()):
            return Failure(
                code=FailureCode.DIAGNOSIS_UNAVAILABLE,
                message=f"Nothing was searched, and what model {model} answered is not the report asked for.",
                hint="ask again, or use a model that follows a JSON format and calls tools",
            )
        case NothingPublishable(reason=StopReason.PROGRESS_PROTOCOL_VIOLATED):
            return Failure(
                code=FailureCode.DIAGNOSIS_UNAVAILABLE,
                message=f"Nothing could be published: the tool calls of model {model} broke the protocol.",
                hint="ask again, or use a model that fills in a tool call as it is described",
            )
        case NothingPublishable():
            return Failure(
                code=FailureCode.DIAGNOSIS_UNAVAILABLE,
                message="Nothing could be published: no search came back with a fact.",
                hint="check the sources with  superbiz doctor , or widen the window with --since",
            )
        case AuditUnavailable():
            return Failure(
                code=FailureCode.RUN_PERSISTENCE_FAILED,
                message="The run could not be registered in the audit database.",
                hint="run  superbiz doctor  to check the audit database",
                unavailable=_STORE,
            )
        case _:
            return Failure(
                code=FailureCode.INTERNAL_FAILURE,
                message=f"An internal error ended the run ({type(error).__name__}).",
                hint="run the same command with --debug and report it with the traceback",
            )


def ended(state: RunState) -> Failure:
    """Return what the user is told about a Run that was ended from outside."""
    message, hint = _ENDED.get(state, ("The run ended before anything could be published.", None))
    return Failure(code=failure_code_for(state), message=message, hint=hint)


def _model_fault(error: RoutingUnavailable | AgentUnavailable | AnswerUnavailable) -> str:
    said = _MODEL_FAULT.get(error.failure, "refused the request")
    return f"{said}: {error.hint}" if error.hint else said
