"""`superbiz kb search`: find passages, and with --explain see why these."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Annotated, Any

import typer

from superbiz_cli.cli.options import Format, Invocation
from superbiz_cli.errors import ErrorCode, SuperbizError

if TYPE_CHECKING:
    from superbiz_cli.cli.page import Page
    from superbiz_cli.knowledge.lookup import LookupResult

_SHOWN_CHARS = 400
_EXPLAINED = 12


def search(
    ctx: typer.Context,
    query: Annotated[
        str, typer.Argument(metavar="QUERY", help="A question, a symptom, an alert or an error; - is stdin.")
    ],
    category: Annotated[
        list[str] | None,
        typer.Option("--category", metavar="NAME", help="Search only this category; repeatable."),
    ] = None,
    scope: Annotated[
        list[str] | None, typer.Option("--scope", metavar="NAME", help="Search only this scope; repeatable.")
    ] = None,
    limit: Annotated[
        int | None, typer.Option("--limit", "-n", metavar="N", help="At most N passages.", min=1, max=50)
    ] = None,
    explain: Annotated[bool, typer.Option("--explain", help="Also show stages, scores and reasons.")] = False,
) -> int:
    """Find passages in the knowledge base.

    When nothing there answers the question, that is said, and what comes near is named.

    Examples:
      superbiz kb search "KubePodCrashLooping"
      superbiz kb search "连接池耗尽怎么处理" --explain
      superbiz kb search "redis is slow" --json

    """
    invocation = Invocation.of(ctx)
    text = sys.stdin.read() if query == "-" else query
    if not text.strip():
        raise SuperbizError(ErrorCode.QUERY_INVALID, "the query is empty", hint="say what you look for")
    loaded = invocation.load_settings()

    from superbiz_cli.bootstrap.knowledge import look_up_once

    found = look_up_once(
        loaded.settings,
        text,
        categories=tuple(category or ()),
        scopes=tuple(scope or loaded.settings.knowledge.scopes),
        limit=limit,
    )
    if invocation.format in (Format.JSON, Format.NDJSON):
        _write_json(text, found, invocation, explain=explain)
    else:
        _write_text(found, invocation, explain=explain)
    return 0


def _write_json(query: str, result: LookupResult | None, invocation: Invocation, *, explain: bool) -> None:
    from superbiz_cli.cli.streams import json_text

    indent = None if invocation.format is Format.NDJSON else 2
    invocation.streams.result(json_text(_record(query, result, explain=explain), indent=indent))


def _record(query: str, result: LookupResult | None, *, explain: bool) -> dict[str, Any]:
    if result is None:
        return {"query": query, "found": False, "relevance_level": None, "results": [], "near": []}
    record: dict[str, Any] = {
        "query": query,
        "found": result.is_found,
        "relevance_level": result.relevance.value if result.relevance else None,
        "results": [
            {
                "rank": rank,
                "doc_id": passage.chunk.doc_id,
                "title": passage.chunk.title,
                "section": passage.chunk.section,
                "chunk_index": passage.chunk.index,
                "category": passage.chunk.category,
                "scope": passage.chunk.scope,
                "quality": round(passage.quality, 4),
                "excerpt": passage.content,
            }
            for rank, passage in enumerate(result.packed.passages, start=1)
        ],
        "near": [{"doc_id": near.doc_id, "title": near.title} for near in result.near],
    }
    if explain:
        from superbiz_cli.knowledge.explain import explanation

        record["explain"] = explanation(result)
    return record


def _write_text(result: LookupResult | None, invocation: Invocation, *, explain: bool) -> None:
    from superbiz_cli.cli.page import Page

    streams = invocation.streams
    page = Page(streams.result_width)
    if result is None:
        page.line("Nothing found: the knowledge base is empty.", indent="")
        page.line("Begin with  superbiz kb ingest PATH", indent="")
    elif not result.is_found:
        page.line("Nothing found: no passage answers this.", indent="")
        if result.near:
            page.line(
                f"Near: {'; '.join(f'{near.title} ({near.doc_id})' for near in result.near)}", indent=""
            )
    else:
        _passages(page, result)
    if result is not None and explain:
        _explain(page, result)
    streams.result(page.render(color=streams.result_in_color))


def _passages(page: Page, result: LookupResult) -> None:
    level = result.relevance.value.lower() if result.relevance else ""
    count = len(result.packed.passages)
    page.line((f"{count} passage{'' if count == 1 else 's'} · {level}", "bold"), indent="")
    for rank, passage in enumerate(result.packed.passages, start=1):
        chunk = passage.chunk
        page.blank()
        place = f"  {chunk.section}" if chunk.section else ""
        page.line((f"{rank}. {chunk.title}", "bold"), place, indent="")
        page.line((f"{chunk.doc_id}#{chunk.index} · quality {passage.quality:.2f}", "dim"), indent="   ")
        text = " ".join(passage.content.split())
        page.paragraph(text if len(text) <= _SHOWN_CHARS else f"{text[:_SHOWN_CHARS]}…", indent="   ")


def _explain(page: Page, result: LookupResult) -> None:
    view, trace = result.view, result.retrieval
    page.heading("How it was found")
    rows = [("language", view.language), ("terms", ", ".join(view.terms))]
    named = {
        "corrected": ", ".join(f"{wrong} → {meant}" for wrong, meant in view.corrections.items()),
        "alerts": ", ".join(view.alerts),
        "identifiers": ", ".join(view.identifiers),
        "error codes": ", ".join(view.error_codes),
        "services": ", ".join(view.services),
        "domains": ", ".join(view.domains),
        "narrowed to": ", ".join(view.categories),
        "categories": ", ".join(view.named_categories),
    }
    page.columns([*rows, *((name, value) for name, value in named.items() if value)])
    for number, attempt in enumerate(trace.attempts, start=1):
        where = f" in {', '.join(attempt.categories)}" if attempt.categories else ""
        level = attempt.relevance.value if attempt.relevance else "none"
        page.line(
            f"attempt {number}: {attempt.kind.value}{where}: {attempt.dense_hits} by meaning,"
            f" {attempt.sparse_hits} by words, best quality {attempt.best_quality:.2f} ({level}),"
            f" {attempt.search_ms:.0f} ms"
        )
    if trace.fallback_reason:
        page.line(f"repeated without the category: {trace.fallback_reason.value}")
    page.blank()
    header = ("", "fused", "meaning", "words", "cover", "quality", "passage")
    page.columns([header, *(_row(rating) for rating in result.ratings[:_EXPLAINED])])


def _row(rating: Any) -> tuple[str, ...]:
    meaning = "-" if rating.cosine is None else f"{rating.cosine:.3f} #{rating.dense_rank or '-'}"
    why = f"  ({'; '.join(rating.reasons)})" + (f"  left out: {rating.left_out}" if rating.left_out else "")
    return (
        str(rating.place),
        f"{rating.fused:.3f}",
        meaning,
        f"{rating.bm25:.2f} #{rating.sparse_rank or '-'}",
        f"{rating.coverage:.2f}",
        f"{rating.quality:.2f}",
        f"{rating.doc_id}#{rating.chunk_index}{why}",
    )
