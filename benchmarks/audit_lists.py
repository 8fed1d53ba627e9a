"""How long listings take in an archive of 100,000 Runs. Prints one line per question."""

from __future__ import annotations

import statistics
import sys
import tempfile
import time
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from pathlib import Path

from sqlalchemy import create_engine, insert

from superbiz_cli.adapters.sql_audit.archive import open_archive
from superbiz_cli.adapters.sql_audit.schema import chat_session, diagnosis_run
from superbiz_cli.harness.audit.rows import RunFilter

BEGAN = datetime(2026, 1, 1, tzinfo=UTC)
REPEATS = 15


def fill(path: Path, runs: int) -> None:
    """Write `runs` Runs in a tenth as many sessions, one a minute; one in 1000 is a failure."""
    engine = create_engine(f"sqlite:///{path}")
    times = [BEGAN + timedelta(minutes=number) for number in range(runs)]
    with engine.begin() as connection:
        connection.execute(
            insert(diagnosis_run),
            [
                {
                    "run_id": f"{number * 7919 % 999_983:010}",
                    "session_id": f"s{number // 10}",
                    "query": "payment service times out since 10:00",
                    "model": "offline/playbook",
                    "run_state": "SUCCESS",
                    "intent": "DIAGNOSIS",
                    "release_outcome": "FAILED" if number % 1000 == 0 else "SUCCESS",
                    "started_at": moment,
                }
                for number, moment in enumerate(times)
            ],
        )
        connection.execute(
            insert(chat_session),
            [
                {
                    "session_id": f"s{number}",
                    "owner": "ann",
                    "created_at": times[number * 10],
                    "last_run_at": times[number * 10],
                    "last_run_id": f"{number * 10 * 7919 % 999_983:010}",
                }
                for number in range(runs // 10)
            ],
        )
    engine.dispose()


def milliseconds(question: Callable[[], object]) -> float:
    """Return the median time of one answer."""
    times = []
    for _ in range(REPEATS):
        began = time.perf_counter()
        question()
        times.append((time.perf_counter() - began) * 1000)
    return statistics.median(times)


def main(runs: int) -> None:
    """Measure every listing."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "audit.db"
        open_archive(path, redact=str).close()
        fill(path, runs)
        archive = open_archive(path, redact=str, owner="ann")
        middle = archive.recent_runs(limit=runs // 2).runs[-1].run_id
        questions: dict[str, Callable[[], object]] = {
            "newest 20 runs": archive.recent_runs,
            "20 runs from the middle": lambda: archive.recent_runs(before=middle),
            "20 failed runs": lambda: archive.recent_runs(RunFilter(release_outcome="FAILED")),
            "runs of one session": lambda: archive.recent_runs(RunFilter(session_id="s77")),
            "runs of an intent that never was": lambda: archive.recent_runs(RunFilter(intent="SYSTEM_CHAT")),
            "run by prefix": lambda: archive.find_run("00000123"),
            "last success of a session": lambda: archive.last_success("s77"),
            "newest 20 sessions": archive.sessions,
            "latest session": archive.latest_session,
        }
        for name, question in questions.items():
            print(f"{name:34} {milliseconds(question):8.2f} ms")
        archive.close()


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 100_000)
