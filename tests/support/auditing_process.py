"""A process that opens an archive at the same moment as another, and writes Runs into it.

It says "ready", waits for a line, opens the archive, writes its Runs and ends. Run with `-m`.
"""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

from superbiz_cli.adapters.sql_audit.archive import open_archive
from tests.support.audit import write_run

REPOSITORY = Path(__file__).parents[2]


def write_at_once(url: str, *, runs: int, processes: int = 2) -> list[str]:
    """Let `processes` open the archive at `url` at once; each writes `runs` Runs. Returns their ids."""
    command = [sys.executable, "-m", "tests.support.auditing_process", url, str(runs)]
    writers = [
        subprocess.Popen(
            [*command, str(number)],
            cwd=REPOSITORY,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        for number in range(processes)
    ]
    try:
        for writer in writers:
            assert writer.stdout
            assert writer.stdout.readline() == "ready\n"
        for writer in writers:
            assert writer.stdin
            writer.stdin.write("go\n")
            writer.stdin.flush()
        for writer in writers:
            _, complaints = writer.communicate(timeout=100)
            assert (writer.returncode, complaints) == (0, "")
    finally:
        for writer in writers:
            writer.kill()
            writer.communicate()
    return [run_id_of(number, turn) for number in range(processes) for turn in range(runs)]


def run_id_of(process: int, turn: int) -> str:
    """The id of the Run number `turn` of a process."""
    return f"p{process}t{turn:04}"


def _main(url: str, runs: str, number: str) -> None:
    sys.stdout.write("ready\n")
    sys.stdout.flush()
    sys.stdin.readline()
    archive = open_archive(url, redact=str, patience_s=10)
    for turn in range(int(runs)):
        write_run(archive, run_id_of(int(number), turn), "shared")
    archive.close()


if __name__ == "__main__":
    _main(*sys.argv[1:])
