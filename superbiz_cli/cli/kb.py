"""`superbiz kb list|show|remove`: what the knowledge base holds."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from superbiz_cli.cli.options import Format, Invocation
from superbiz_cli.errors import ErrorCode, SuperbizError

if TYPE_CHECKING:
    from collections.abc import Mapping

    from superbiz_cli.knowledge.records import Chunk, DocumentRecord
    from superbiz_cli.settings import Settings

_NOTHING = "the knowledge base is empty; begin with: superbiz kb ingest PATH"


def list_documents(
    ctx: typer.Context,
    category: Annotated[
        str | None, typer.Option("--category", metavar="NAME", help="Only documents of this category.")
    ] = None,
    scope: Annotated[
        str | None, typer.Option("--scope", metavar="NAME", help="Only documents of this scope.")
    ] = None,
) -> int:
    """List the documents of the knowledge base.

    Examples:
      superbiz kb list
      superbiz kb list --category redis --json

    """
    invocation = Invocation.of(ctx)
    loaded = invocation.load_settings()

    from superbiz_cli.cli.rows import Listing, write_listing

    documents = [
        document
        for document in sorted(_documents(loaded.settings).values(), key=lambda item: item.doc_id)
        if category in (None, document.category) and scope in (None, document.scope)
    ]
    cells = [
        (d.doc_id, str(d.chunks), d.category or "-", d.scope, d.ingested_at[:16].replace("T", " "), d.title)
        for d in documents
    ]
    header = ("document", "passages", "category", "scope", "ingested (UTC)", "title")
    write_listing(Listing(header, cells, [_record(d) for d in documents], nothing=_NOTHING), invocation)
    return 0


def show_document(
    ctx: typer.Context,
    document: Annotated[
        str, typer.Argument(metavar="DOCUMENT", help="Name of the document, or the end of it.")
    ],
) -> int:
    """Show one document as it is stored: its passages in order.

    Examples:
      superbiz kb show redis-latency.md
      superbiz kb show runbooks/redis-latency.md --json

    """
    invocation = Invocation.of(ctx)
    loaded = invocation.load_settings()

    from superbiz_cli.bootstrap.knowledge import knowledge_store

    with knowledge_store(loaded.settings, writes=False) as store:
        found = find_document(store.documents() if store.profile() else {}, document)
        passages = [c for c in store.chunks(doc_id=found.doc_id) if c.revision == found.revision]
    _write_document(found, sorted(passages, key=lambda chunk: chunk.index), invocation)
    return 0


def remove_documents(
    ctx: typer.Context,
    documents: Annotated[
        list[str], typer.Argument(metavar="DOCUMENT...", help="Names of documents, or the ends of them.")
    ],
) -> int:
    """Remove documents from the knowledge base; their files stay.

    Examples:
      superbiz kb remove old/runbook.md

    """
    invocation = Invocation.of(ctx)
    loaded = invocation.load_settings()

    from superbiz_cli.bootstrap.knowledge import knowledge_store
    from superbiz_cli.harness.core.clock import SystemClock
    from superbiz_cli.knowledge.ingest.session import writing

    with knowledge_store(loaded.settings, writes=True) as store:
        profile = store.profile()
        published = store.documents() if profile else {}
        names = list(dict.fromkeys(find_document(published, name).doc_id for name in documents))
        if profile is not None:
            with writing(store, profile, clock=SystemClock()) as session:
                session.remove(names)
    if invocation.format in (Format.JSON, Format.NDJSON):
        from superbiz_cli.cli.streams import json_text

        invocation.streams.result(json_text({"removed": names}))
    else:
        invocation.streams.result("".join(f"removed  {name}\n" for name in names))
    return 0


def find_document(published: Mapping[str, DocumentRecord], name: str) -> DocumentRecord:
    """Return the document called `name`, or the only one whose name ends so. Raises SuperbizError."""
    if name in published:
        return published[name]
    matches = [doc_id for doc_id in sorted(published) if doc_id.endswith(f"/{name}")]
    if len(matches) == 1:
        return published[matches[0]]
    if matches:
        raise SuperbizError(
            ErrorCode.AMBIGUOUS,
            f"more than one document ends with '{name}'",
            hint=f"write more of it: {', '.join(matches[:5])}",
        )
    raise SuperbizError(
        ErrorCode.NOT_FOUND, f"there is no document '{name}'", hint="superbiz kb list shows the documents"
    )


def _documents(settings: Settings) -> Mapping[str, DocumentRecord]:
    from superbiz_cli.bootstrap.knowledge import is_configured, knowledge_store

    if not is_configured(settings):
        return {}
    with knowledge_store(settings, writes=False) as store:
        return store.documents() if store.profile() else {}


def _write_document(document: DocumentRecord, passages: list[Chunk], invocation: Invocation) -> None:
    from superbiz_cli.cli.streams import json_text

    streams = invocation.streams
    if invocation.format in (Format.JSON, Format.NDJSON):
        indent = None if invocation.format is Format.NDJSON else 2
        body = [{"index": c.index, "section": c.section, "content": c.content} for c in passages]
        streams.result(json_text({**_record(document), "passages": body}, indent=indent))
        return
    from superbiz_cli.cli.page import Page

    page = Page(streams.result_width)
    page.heading(document.title, aside=f"{document.chunks} passages")
    about = " · ".join(part for part in (document.doc_id, document.category, document.scope) if part)
    page.line((about, "dim"))
    page.line((f"from {document.source}, ingested {document.ingested_at[:16].replace('T', ' ')} UTC", "dim"))
    for chunk in passages:
        page.blank()
        page.line((f"{chunk.index}  {chunk.section}".rstrip(), "bold"))
        for line in chunk.content.splitlines():
            page.paragraph(line) if line.strip() else page.blank()
    streams.result(page.render(color=streams.result_in_color))


def _record(document: DocumentRecord) -> dict[str, object]:
    return {
        "doc_id": document.doc_id,
        "title": document.title,
        "source": document.source,
        "category": document.category,
        "scope": document.scope,
        "language": document.language,
        "chunks": document.chunks,
        "size_bytes": document.size_bytes,
        "secrets": document.secrets,
        "content_hash": document.content_hash,
        "ingested_at": document.ingested_at,
    }
