"""Writes docs/assurance.md: what was tried against the release rules, and what failed.

`python -m tests.assurance.report [--quick]` (make assurance). Every figure is measured by this run; a line
whose data or service is absent says so. `--quick` plays fewer worlds and no scripts as processes.
"""

from __future__ import annotations

import logging
import os
import platform
import random
import statistics
import subprocess
import sys
import tempfile
import xml.etree.ElementTree as ET
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from superbiz_cli.harness.contract.report import RunResult
from tests.support.claim_pairs import read_pairs, score, score_altered
from tests.support.run_cli import PYTHON, REPOSITORY
from tests.support.shared_data import data_folder
from tests.support.wild_checks import INVARIANTS
from tests.support.wild_runs import WildRun

DOCUMENT = REPOSITORY / "docs" / "assurance.md"
OWN_PAIRS = REPOSITORY / "tests" / "unit" / "guard" / "claims_own.jsonl"
WORLDS, QUICK_WORLDS = 20_000, 2_000
LONGEST = 240
TRIES = 50
NOTE = "<!-- written by make assurance; do not edit -->"

INTRODUCTION = """
What this program promises about an answer is held by code, not by the model. Below is what was tried
against it and what failed, measured on one machine by `make assurance`; every line names the command that
repeats it. Data that the repository does not hold is looked for in the folder `SUPERBIZ_TEST_DATA`.
"""
PROMISES = {
    "a": "A report cites only READY records of its own run, of the right kind, and the judge agreed to "
    "exactly what is shown",
    "b": "Nothing that the model wrote outside a released report is shown, stored or warned about",
    "c": "The run ends once, within its budgets; outcome, exit code, database row and trace agree",
    "d": "No registered secret is in a request, a result, a warning, an event or a row",
    "e": "A loop of near-duplicate calls makes at most six model calls",
}
BEARS_ON: dict[str, Callable[[WildRun, RunResult], bool]] = {
    "a": lambda _, result: result.report is not None,
    "b": lambda world, _: bool(world.said),
    "c": lambda _, __: True,
    "d": lambda _, __: True,
    "e": lambda world, _: world.loop > 0,
}


@dataclass(frozen=True)
class Suite:
    """Tests that are counted together. `plays` is what SUPERBIZ_TEST_HOSTILE is set to."""

    title: str
    path: str
    plays: str = ""

    @property
    def command(self) -> str:
        prefix = f"SUPERBIZ_TEST_HOSTILE={self.plays} " if self.plays else ""
        return f"{prefix}make test PYTEST_ARGS={self.path}"


SUITES = (
    Suite("given and own hostile scripts, in process", "tests/hostile/test_scripts.py"),
    Suite("given and own hostile scripts, over HTTP", "tests/hostile/test_scripts_over_http.py", "all"),
    Suite("given injections, each through its channel", "tests/hostile/test_injections.py"),
    Suite("recitals of prompts, guides and frames", "tests/hostile/test_recitals.py"),
    Suite("registered secrets", "tests/hostile/test_registered_secrets.py"),
    Suite("faults of stores, disk and calendar", "tests/hostile/test_store_faults.py"),
    Suite("faults of the model endpoint", "tests/hostile/test_endpoint_faults.py"),
    Suite("faults of sources while they are read", "tests/hostile/test_source_faults.py"),
    Suite("faults of the knowledge store", "tests/hostile/test_knowledge_faults.py"),
    Suite("signals and closed streams, as a process", "tests/hostile/test_process_faults.py"),
)
AS_PROCESS = Suite("given and own hostile scripts, as a process", "tests/hostile/test_program.py", "all")


@dataclass
class Worlds:
    """What random worlds came to."""

    played: int = 0
    outcomes: Counter[str] = field(default_factory=Counter)
    concerned: Counter[str] = field(default_factory=Counter)
    failed: Counter[str] = field(default_factory=Counter)
    first_failure: str = ""


def main(arguments: Sequence[str]) -> int:
    """Measure, write the document, and return 1 if anything failed."""
    quick = "--quick" in arguments
    blocks = [f"# Assurance\n\n{NOTE}", INTRODUCTION.strip()]
    worlds = play_worlds(QUICK_WORLDS if quick else WORLDS)
    suites = [*SUITES] if quick else [*SUITES, AS_PROCESS]
    counted = [(suite, run_suite(suite)) for suite in suites]
    blocks += [
        worlds_block(worlds),
        suites_block(counted),
        claims_block(),
        cancel_block(5 if quick else TRIES),
    ]
    DOCUMENT.write_text("\n\n".join(blocks) + "\n", encoding="utf-8")
    has_failed = bool(worlds.failed) or any(count.failed for _, count in counted)
    return int(has_failed)


def play_worlds(count: int) -> Worlds:
    """Play random worlds and check every invariant in each."""
    logging.disable(logging.CRITICAL)
    chance, result = random.Random(count), Worlds()
    for _ in range(count):
        decisions = chance.randbytes(chance.randrange(LONGEST))
        world = WildRun(decisions)
        ended = world.play()
        result.played += 1
        result.outcomes[ended.release_outcome.value] += 1
        for letter, check in INVARIANTS.items():
            result.concerned[letter] += BEARS_ON[letter](world, ended)
            try:
                check(world, ended)
            except (AssertionError, LookupError):
                result.failed[letter] += 1
                result.first_failure = result.first_failure or decisions.hex()
    logging.disable(logging.NOTSET)
    return result


@dataclass(frozen=True)
class Count:
    """How many tests of a suite passed, failed and were skipped."""

    passed: int
    failed: int
    skipped: int


def run_suite(suite: Suite) -> Count:
    """Run a suite in a process of its own."""
    with tempfile.TemporaryDirectory() as folder:
        report = Path(folder) / "report.xml"
        command = [PYTHON, "-m", "pytest", "-n", "0", "-q", f"--junitxml={report}", suite.path]
        environ = {**os.environ, "SUPERBIZ_TEST_HOSTILE": suite.plays or "first"}
        subprocess.run(command, cwd=REPOSITORY, env=environ, stdout=sys.stderr, check=False)
        [one] = ET.parse(report).getroot().iter("testsuite")
        total, skipped = int(one.attrib["tests"]), int(one.attrib["skipped"])
        failed = int(one.attrib["failures"]) + int(one.attrib["errors"])
        return Count(total - failed - skipped, failed, skipped)


def worlds_block(worlds: Worlds) -> str:
    outcomes = ", ".join(f"{count:,} {outcome}" for outcome, count in worlds.outcomes.most_common())
    rows = [
        f"| ({letter}) {promise} | {worlds.concerned[letter]:,} | {worlds.failed[letter]} |"
        for letter, promise in PROMISES.items()
    ]
    failure = f"\n\nFirst failure: `WildRun(bytes.fromhex('{worlds.first_failure}'))`."
    return "\n".join(
        [
            "## Invariants on random worlds",
            "",
            f"{worlds.played:,} whole runs in memory, in which model, tools, store, audit, clock and user do "
            f"whatever random bytes say. They ended in {outcomes}. The second column counts the worlds in "
            "which the invariant could have been broken; that each check finds a program with the fault is "
            "tested too. Command: `make soak EXAMPLES=20000`.",
            "",
            "| invariant | worlds it bears on | failures |",
            "|---|--:|--:|",
            *rows,
        ]
    ) + (failure if worlds.first_failure else "")


def suites_block(counted: Sequence[tuple[Suite, Count]]) -> str:
    rows = [
        f"| {suite.title} | {count.passed + count.failed} | {count.failed} | {count.skipped} "
        f"| `{suite.command}` |"
        for suite, count in counted
    ]
    return "\n".join(
        [
            "## Scripts, injections and faults",
            "",
            "A skipped case needs data or a service that was absent.",
            "",
            "| what | cases tried | failures | skipped | command |",
            "|---|--:|--:|--:|---|",
            *rows,
        ]
    )


def claims_block() -> str:
    rows = [*_claim_rows("own, committed", OWN_PAIRS)]
    shared = data_folder() / "claims" / "claims.jsonl"
    rows += _claim_rows("given", shared) if shared.is_file() else ["| given | absent | | |"]
    return "\n".join(
        [
            "## Claim check",
            "",
            "Pairs of a claim and the evidence that it cites, through the real log tool, in English and "
            "Chinese. Limits: 1 % of the fabricated accepted, 5 % of the supported refused. The kinds of "
            "sentence in the committed pairs were mended with these pairs in view: expect more refusals on "
            "incidents of a field that they do not know. Command: "
            "`make test PYTEST_ARGS='tests/unit/guard/test_claims_data.py -s'`.",
            "",
            "| pairs | fabricated accepted | supported refused |",
            "|---|--:|--:|",
            *rows,
            "",
            _altered_sentence(),
        ]
    )


def _altered_sentence() -> str:
    with tempfile.TemporaryDirectory() as folder:
        altered = score_altered(read_pairs(OWN_PAIRS), Path(folder))
    return (
        f"With one digit altered, one after the other, {altered.fabricated:,} statements came of the "
        f"supported ones of the committed pairs; {len(altered.accepted)} of them "
        f"({altered.accepted_share:.1%}) were let pass to the judge. Some of those are true all the same "
        "(a rounded figure, an hour in two zones)."
    )


def _claim_rows(title: str, path: Path) -> Iterator[str]:
    with tempfile.TemporaryDirectory() as folder:
        result = score(read_pairs(path), Path(folder))
    yield (
        f"| {title} | {len(result.accepted)} of {result.fabricated} ({result.accepted_share:.1%}) "
        f"| {len(result.refused)} of {result.supported} ({result.refused_share:.1%}) |"
    )


def cancel_block(tries: int) -> str:
    """The benchmark of cancels, as a table."""
    sys.path.insert(0, str(REPOSITORY))
    from benchmarks.cancel_in_flight import MEASURES

    rows = []
    with tempfile.TemporaryDirectory() as folder:
        for title, measure in MEASURES.items():
            seconds = measure(Path(folder), tries)
            if seconds is None:
                rows.append(f"| {title} | no server | | |")
            else:
                rows.append(
                    f"| {title} | {len(seconds)} | {statistics.median(seconds):.3f} | {max(seconds):.3f} |"
                )
    machine = f"{os.cpu_count()} cores, Python {platform.python_version()}"
    return "\n".join(
        [
            "## Cancelling in flight",
            "",
            "Seconds from the signal (or the deadline) to the prompt or the caller's return; the limit is "
            f"one second. Measured on {machine}. Command: `python benchmarks/cancel_in_flight.py`.",
            "",
            "| what | tries | median (s) | worst (s) |",
            "|---|--:|--:|--:|",
            *rows,
        ]
    )


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
