"""A long command of the knowledge base on a worker thread: cancelled by Ctrl-C, drawn meanwhile."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

from superbiz_cli.cli.interrupt import Reports, Watched, exit_code_of_signal, run_interruptibly
from superbiz_cli.cli.kb_progress import Progress, ProgressView
from superbiz_cli.cli.options import Invocation
from superbiz_cli.errors import ErrorCode, SuperbizError
from superbiz_cli.harness.core.run import Run, RunAborted

T = TypeVar("T")


def run_watched(
    work: Callable[[Run], T],
    progress: Progress,
    *,
    doing: str,
    deadline_s: float,
    invocation: Invocation,
    when_stopped: str,
) -> T:
    """Return what `work` returns.

    `when_stopped` tells what a cancelled command leaves behind. Raises SuperbizError.
    """
    from superbiz_cli.bootstrap.knowledge import knowledge_run

    def body(reports: Reports) -> T | RunAborted:
        run = knowledge_run(deadline_s=deadline_s)
        reports.started(run)
        with run.watching_deadline():
            try:
                return work(run)
            except RunAborted as aborted:
                return aborted

    watched: Watched[T | RunAborted] = run_interruptibly(
        body, ProgressView(invocation.streams, progress, doing)
    )
    if isinstance(watched.result, RunAborted):
        raise SuperbizError(
            ErrorCode.CANCELLED,
            f"{doing} was stopped",
            hint=when_stopped,
            exit_code=exit_code_of_signal(watched.signal_number),
        )
    return watched.result
