"""From a request to the end of the process: run it, show it, write what was published."""

from __future__ import annotations

from dataclasses import dataclass
from typing import assert_never

from superbiz_cli.bootstrap.port import DiagnoseRequest
from superbiz_cli.bootstrap.registered_secrets import redactor_for
from superbiz_cli.cli.interrupt import Reports, Watched, exit_code_of_signal, run_interruptibly
from superbiz_cli.cli.live import Heading, LiveView, PlainView
from superbiz_cli.cli.log_lines import log_lines
from superbiz_cli.cli.markdown import markdown_of
from superbiz_cli.cli.ndjson import NdjsonView
from superbiz_cli.cli.options import Format, Invocation
from superbiz_cli.cli.render import render_result, run_note
from superbiz_cli.cli.result_json import document
from superbiz_cli.cli.streams import json_text
from superbiz_cli.cli.times import StatedWindow
from superbiz_cli.errors import ExitCode
from superbiz_cli.harness.contract.report import Failure, RunResult
from superbiz_cli.harness.contract.status import FailureCode, Intent, ReleaseOutcome
from superbiz_cli.harness.tool.sanitize import sanitize
from superbiz_cli.settings import Settings


@dataclass(frozen=True, slots=True)
class Job:
    """One diagnosis that was asked for on the command line."""

    request: DiagnoseRequest
    settings: Settings
    stated: StatedWindow
    exit_zero: bool = False


def execute(job: Job, invocation: Invocation) -> ExitCode:
    """Diagnose, and write what was published to stdout. Returns how the process must end."""

    def work(reports: Reports) -> RunResult:
        from superbiz_cli.bootstrap import open_app

        with (
            log_lines(reports.warned, debug=invocation.debug),
            open_app(job.settings, on_event=reports.event, warn=reports.warned) as app,
        ):
            return app.diagnose(job.request, on_started=reports.started)

    view = _view(job, invocation)
    watched = run_interruptibly(work, view)
    if watched.pipe_closed:
        return ExitCode.CLOSED_PIPE
    if isinstance(view, NdjsonView):
        view.finish(watched.result)
    else:
        _write(watched.result, invocation)
        if (hint := _first_step(watched.result, job.settings)) is not None:
            invocation.streams.note(hint)
    return _exit_code(watched, exit_zero=job.exit_zero)


def exit_code_of_failure(failure: Failure) -> ExitCode:
    """Return the exit code of a Run that published nothing and was not cancelled."""
    if failure.unavailable is not None:
        return ExitCode.UNAVAILABLE
    match failure.code:
        case FailureCode.RUN_TIMED_OUT | FailureCode.BUDGET_EXHAUSTED:
            return ExitCode.EXHAUSTED
        case (
            FailureCode.ROUTING_UNAVAILABLE
            | FailureCode.SYSTEM_CHAT_UNAVAILABLE
            | FailureCode.KNOWLEDGE_UNAVAILABLE
            | FailureCode.RUN_PERSISTENCE_FAILED
        ):
            return ExitCode.UNAVAILABLE
        case FailureCode.RUN_CANCELLED:
            return ExitCode.INTERRUPTED
        case FailureCode.DIAGNOSIS_UNAVAILABLE | FailureCode.INTERNAL_FAILURE:
            return ExitCode.FAILED
        case code:
            assert_never(code)


def _view(job: Job, invocation: Invocation) -> LiveView | PlainView | NdjsonView:
    settings = job.settings
    agent, guard = settings.model.agent_route.name, settings.model.guard_route.name
    window = job.stated.window
    if invocation.format is Format.NDJSON:
        metadata = {
            "model": agent,
            "guard_model": guard,
            "query": redactor_for(settings).redact(job.request.query),
            "window": {
                "since": window.since.isoformat() if window.since else None,
                "until": window.until.isoformat(),
                "timezone": window.timezone,
                "from": job.stated.said,
            },
        }
        return NdjsonView(invocation.streams, metadata=metadata)
    models = f"model {agent}" + (f" · guard {guard}" if guard != agent else "")
    heading = Heading(models=models, window=str(job.stated), deadline_s=settings.run.deadline_s)
    if invocation.streams.notes_are_terminal and not invocation.streams.quiet:
        return LiveView(invocation.streams, heading)
    return PlainView(invocation.streams, heading)


def _write(result: RunResult, invocation: Invocation) -> None:
    streams = invocation.streams
    match invocation.format:
        case Format.JSON | Format.NDJSON:
            streams.result(json_text(document(result)))
        case _ if result.failure is not None:
            hint = result.failure.hint
            streams.error(sanitize(result.failure.message), sanitize(hint) if hint else run_note(result))
        case Format.MARKDOWN:
            streams.result(markdown_of(result))
        case Format.TEXT:
            streams.result(render_result(result, width=streams.result_width, color=streams.result_in_color))


def _first_step(result: RunResult, settings: Settings) -> str | None:
    """Return the one hint of a first use: a diagnosis that had nothing to look at."""
    has_sources = settings.logs.sources or settings.mysql.data_sources
    if result.intent is not Intent.DIAGNOSIS or result.failure is not None or has_sources:
        return None
    return "hint: no log source is configured yet; superbiz config init writes a file to begin with"


def _exit_code(watched: Watched[RunResult], *, exit_zero: bool) -> ExitCode:
    result = watched.result
    match result.release_outcome:
        case ReleaseOutcome.SUCCESS:
            return ExitCode.SUCCESS
        case ReleaseOutcome.FALLBACK:
            return ExitCode.SUCCESS if exit_zero else ExitCode.FALLBACK
        case ReleaseOutcome.CANCELLED:
            return (
                ExitCode.INTERRUPTED
                if watched.signal_number is None
                else exit_code_of_signal(watched.signal_number)
            )
        case ReleaseOutcome.FAILED:
            return exit_code_of_failure(result.failure) if result.failure else ExitCode.FAILED
        case outcome:
            assert_never(outcome)
