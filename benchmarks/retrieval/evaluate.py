"""`make eval`: measure the retrieval on judged queries, and compare with the committed figures.

Two sets: the example runbooks with the queries of tests/golden, and, where it is present, the folder of
real documents that SUPERBIZ_TEST_DATA names (default ../shared/data; its kb/ with queries.jsonl).
The second one is embedded once, which takes the built-in model the better part of an hour on two cores;
the collections are kept in .eval/, so that the next run only searches. `--save` replaces the figures.
Ends with 1 if a figure fell by more than its tolerance.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

REPOSITORY = Path(__file__).resolve().parents[2]
GOLDEN = REPOSITORY / "tests" / "golden"
KEPT = REPOSITORY / ".eval"


@dataclass(frozen=True, slots=True)
class JudgedSet:
    """Documents to ingest, queries judged for them, and the file of the committed figures."""

    name: str
    ingest: tuple[str, ...]
    queries: Path
    baseline: Path


def judged_sets() -> list[JudgedSet]:
    """Return the sets that are here."""
    ours = JudgedSet(
        "example runbooks", ("--examples",), GOLDEN / "runbooks.jsonl", GOLDEN / "runbooks.baseline.json"
    )
    kb = Path(os.environ.get("SUPERBIZ_TEST_DATA") or REPOSITORY.parent / "shared" / "data") / "kb"
    if not (kb / "queries.jsonl").is_file():
        print(f"no judged queries in {kb}: only the example runbooks are measured", file=sys.stderr)
        return [ours]
    documents = str(kb / "??" / "**" / "*")  # a folder a language
    return [
        ours,
        JudgedSet("real documents", (documents,), kb / "queries.jsonl", GOLDEN / "real.baseline.json"),
    ]


def evaluate(judged: JudgedSet, *, save: bool) -> int:
    """Ingest what has changed, measure, print. Returns the exit code of the evaluation."""
    environ = {
        **os.environ,
        "SUPERBIZ_HOME": str(KEPT / judged.baseline.stem.partition(".")[0]),
        "SUPERBIZ_CONFIG_DIR": str(KEPT / "no-config"),
    }

    def kb(*arguments: str) -> int:
        command = [sys.executable, "-m", "superbiz_cli", "kb", *arguments]
        return subprocess.run(command, cwd=KEPT, env=environ, check=False).returncode

    print(f"\n== {judged.name}", flush=True)
    if code := kb("ingest", *judged.ingest, "--prune"):
        return code
    compared = ("--baseline", str(judged.baseline)) if judged.baseline.exists() and not save else ()
    kept = ("--save", str(judged.baseline)) if save else ()
    return kb("eval", str(judged.queries), *compared, *kept)


def main() -> int:
    """Measure every set."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--save", action="store_true", help="replace the committed figures")
    given = parser.parse_args()
    KEPT.mkdir(exist_ok=True)
    return max(evaluate(judged, save=given.save) for judged in judged_sets())


if __name__ == "__main__":
    sys.exit(main())
