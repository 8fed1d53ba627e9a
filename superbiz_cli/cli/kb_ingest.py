"""`superbiz kb ingest`: bring the knowledge base up to date with files."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated

import typer

from superbiz_cli.cli.options import Format, Invocation
from superbiz_cli.errors import ErrorCode, ExitCode, SuperbizError

if TYPE_CHECKING:
    from superbiz_cli.cli.kb_progress import Progress
    from superbiz_cli.harness.core.run import Run
    from superbiz_cli.knowledge.ingest.discover import Problem
    from superbiz_cli.knowledge.ingest.ingestion import IngestSummary

_DEADLINE_S = 7 * 24 * 3600.0


def ingest(
    ctx: typer.Context,
    paths: Annotated[
        list[str] | None,
        typer.Argument(metavar="PATH...", help="Files, folders or globs; - reads one document from stdin."),
    ] = None,
    category: Annotated[
        str, typer.Option("--category", metavar="NAME", help="Category; else front matter or folder.")
    ] = "",
    scope: Annotated[
        str, typer.Option("--scope", metavar="NAME", help="Scope, for example a team; else front matter.")
    ] = "",
    prune: Annotated[
        bool, typer.Option("--prune", help="Also remove documents whose files are gone from the folders.")
    ] = False,
    keep_secrets: Annotated[
        bool, typer.Option("--keep-secrets", help="Do not redact credentials in documents.")
    ] = False,
    examples: Annotated[
        bool, typer.Option("--examples", help="Also the runbooks that ship with superbiz.")
    ] = False,
) -> int:
    """Bring the knowledge base up to date with files.

    Markdown, text and HTML; PDF and DOCX with  pip install 'superbiz[documents]' . Unchanged documents
    are skipped, changed ones are replaced as a whole. It can be stopped at any time: run it again and
    it goes on. Ends with 1 if anything could not be ingested; the rest is.

    Examples:
      superbiz kb ingest runbooks/
      superbiz kb ingest "docs/**/*.md" --category payments --prune
      superbiz kb ingest --examples

    """
    invocation = Invocation.of(ctx)
    arguments = list(paths or [])
    if examples:
        from superbiz_cli.assets import runbooks_root

        arguments.append(str(runbooks_root()))
    if not arguments:
        raise SuperbizError(
            ErrorCode.USAGE, "nothing to ingest", hint="superbiz kb ingest PATH, or --examples"
        )
    loaded = invocation.load_settings()

    from superbiz_cli.bootstrap.knowledge_writes import IngestChoices, ingestion
    from superbiz_cli.cli.kb_progress import Progress
    from superbiz_cli.cli.kb_work import run_watched

    choices = IngestChoices(scope=scope, category=category, keep_secrets=keep_secrets)
    progress = Progress()

    def work(run: Run) -> IngestSummary:
        with ingestion(loaded.settings, choices, listener=_Listener(progress), run=run) as opened:
            return opened.ingest(arguments, prune=prune)

    summary = run_watched(
        work,
        progress,
        doing="ingesting",
        deadline_s=_DEADLINE_S,
        invocation=invocation,
        when_stopped="what was ingested is complete; run the same command again to go on",
    )
    _write(summary, invocation)
    return ExitCode.FAILED if summary.problems else ExitCode.SUCCESS


@dataclass(frozen=True, slots=True)
class _Listener:
    progress: Progress

    def planned(self, documents: int, size_bytes: int) -> None:
        self.progress.plan(size_bytes, documents)

    def advanced(self, documents: int, size_bytes: int, chunks: int) -> None:
        self.progress.done += size_bytes
        self.progress.documents += documents
        self.progress.chunks += chunks

    def problem(self, problem: Problem) -> None:
        hint = f" ({problem.hint})" if problem.hint else ""
        self.progress.lines.append(f"✗ {problem.subject}: {problem.reason}{hint}")

    def note(self, doc_id: str, text: str) -> None:
        self.progress.lines.append(f"! {doc_id}: {text}")


def _write(summary: IngestSummary, invocation: Invocation) -> None:
    from superbiz_cli.cli.streams import json_text

    if invocation.format in (Format.JSON, Format.NDJSON):
        indent = None if invocation.format is Format.NDJSON else 2
        invocation.streams.result(json_text(_record(summary), indent=indent))
        return
    counts = (
        (summary.added, "added"),
        (summary.replaced, "replaced"),
        (summary.unchanged, "unchanged"),
        (summary.removed, "removed"),
        (len(summary.problems), "failed"),
    )
    words = ", ".join(f"{count} {word}" for count, word in counts if count) or "nothing to do"
    lines = [f"documents  {words}"]
    if summary.chunks:
        rate = summary.chunks / summary.total_s if summary.total_s else 0.0
        lines.append(f"passages   {summary.chunks} written in {summary.total_s:.1f} s ({rate:.1f}/s)")
    if summary.secrets:
        lines.append(f"secrets    {summary.secrets} lines with a credential")
    if summary.ignored:
        lines.append(f"ignored    {summary.ignored} files of other formats")
    invocation.streams.result("".join(f"{line}\n" for line in lines))


def _record(summary: IngestSummary) -> dict[str, object]:
    return {
        "added": summary.added,
        "replaced": summary.replaced,
        "unchanged": summary.unchanged,
        "removed": summary.removed,
        "failed": len(summary.problems),
        "ignored": summary.ignored,
        "chunks": summary.chunks,
        "secrets": summary.secrets,
        "duration_s": round(summary.total_s, 3),
        "embedding_s": round(summary.embedding_s, 3),
        "problems": [
            {"subject": problem.subject, "reason": problem.reason, "hint": problem.hint}
            for problem in summary.problems
        ],
    }
