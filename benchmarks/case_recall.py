"""How long the recall of similar cases takes in a library of 10,000. Prints one line per question."""

from __future__ import annotations

import random
import statistics
import sys
import tempfile
import time
from datetime import UTC, datetime, timedelta
from pathlib import Path

from superbiz_cli.adapters.sql_audit.archive import open_archive
from superbiz_cli.harness.application.concepts import CONCEPTS
from superbiz_cli.harness.application.recall import recall
from superbiz_cli.harness.contract.case import Case

BEGAN = datetime(2026, 1, 1, tzinfo=UTC)
REPEATS = 15
QUESTIONS = (
    "payment service times out since 10:00",
    "支付服务从 10 点开始超时，数据库连接池耗尽",
    "it is slow",
    "kafka consumer lag keeps growing in order-service after the deployment, messages pile up, "
    "disk of the broker is full and the network drops packets",
    "quarterly figures of the zebra tariff",
)


def some_cases(count: int) -> list[Case]:
    """Return cases about two to five concepts each, in words of both languages and a long tail of names."""
    chance = random.Random(7)
    wordings = [(en.split("|"), [w for w in zh.split("|") if w]) for _, en, zh in CONCEPTS.values()]
    names = [f"component{number}" for number in range(2_000)]

    def sentence(concepts: int) -> str:
        chosen = chance.sample(wordings, concepts)
        spoken = [chance.choice(zh if zh and chance.random() < 0.3 else en) for en, zh in chosen]
        return " ".join([*spoken, *chance.choices(names, k=3)])

    return [
        Case(
            f"case-{number:06}",
            symptoms=tuple(sentence(chance.randint(2, 5)) for _ in range(4)),
            root_cause=sentence(3),
            solution=sentence(2),
            services=(chance.choice(names),),
            created_at=BEGAN + timedelta(minutes=number),
        )
        for number in range(count)
    ]


def main(count: int) -> None:
    """Fill a library, then ask it."""
    with tempfile.TemporaryDirectory() as folder:
        archive = open_archive(Path(folder) / "audit.db", redact=str)
        library = archive.case_library()
        began = time.perf_counter()
        library.keep(some_cases(count))
        print(f"{count} cases kept in {time.perf_counter() - began:.1f} s")
        for question in QUESTIONS:
            walls, cpus = [], []
            for _ in range(REPEATS):
                wall, cpu = time.perf_counter(), time.process_time()
                found = recall(question, library, redact=str)
                walls.append((time.perf_counter() - wall) * 1000)
                cpus.append((time.process_time() - cpu) * 1000)  # what it takes on a machine that is not busy
            wall, cpu = statistics.median(walls), statistics.median(cpus)
            print(f"{question[:40]:42} {len(found)} found  median {wall:6.2f} ms  processor {cpu:6.2f} ms")
        archive.close()


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 10_000)
