"""`superbiz kb rebuild`: make the collection anew from what is stored."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import typer

from superbiz_cli.cli.options import Format, Invocation

if TYPE_CHECKING:
    from superbiz_cli.cli.kb_progress import Progress
    from superbiz_cli.harness.core.run import Run
    from superbiz_cli.knowledge.rebuild import Rebuilt

_DEADLINE_S = 7 * 24 * 3600.0


def rebuild(ctx: typer.Context) -> int:
    """Make the collection anew from what is stored: for another embedding model, or new indexes.

    Searches use the old collection until the new one is verified and takes its place in one step. With
    the same embedding model nothing is embedded again.

    Examples:
      superbiz kb rebuild

    """
    invocation = Invocation.of(ctx)
    loaded = invocation.load_settings()

    from superbiz_cli.bootstrap.knowledge_writes import rebuilding
    from superbiz_cli.cli.kb_progress import Progress
    from superbiz_cli.cli.kb_work import run_watched

    progress = Progress()

    def work(run: Run) -> Rebuilt | None:
        with rebuilding(loaded.settings, listener=_Listener(progress), run=run) as opened:
            return opened.rebuild()

    rebuilt = run_watched(
        work,
        progress,
        doing="rebuilding",
        deadline_s=_DEADLINE_S,
        invocation=invocation,
        when_stopped="the old collection is still in use; run the command again to begin anew",
    )
    _write(rebuilt, invocation)
    return 0


@dataclass(frozen=True, slots=True)
class _Listener:
    progress: Progress

    def planned(self, chunks: int) -> None:
        self.progress.plan(chunks, 0)

    def advanced(self, chunks: int) -> None:
        self.progress.done += chunks
        self.progress.chunks += chunks


def _write(rebuilt: Rebuilt | None, invocation: Invocation) -> None:
    from superbiz_cli.cli.streams import json_text

    if invocation.format in (Format.JSON, Format.NDJSON):
        record = {
            "rebuilt": rebuilt is not None,
            "documents": rebuilt.documents if rebuilt else 0,
            "chunks": rebuilt.chunks if rebuilt else 0,
            "embedded": rebuilt.embedded if rebuilt else False,
            "model": str(rebuilt.profile.embedder) if rebuilt else None,
        }
        indent = None if invocation.format is Format.NDJSON else 2
        invocation.streams.result(json_text(record, indent=indent))
    elif rebuilt is None:
        invocation.streams.result("nothing to rebuild: the knowledge base is empty\n")
    else:
        how = "embedded anew" if rebuilt.embedded else "vectors kept"
        invocation.streams.result(
            f"rebuilt  {rebuilt.documents} documents, {rebuilt.chunks} passages ({how})\n"
            f"model    {rebuilt.profile.embedder}\n"
        )
