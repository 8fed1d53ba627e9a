"""Speed and memory of query_logs on one big sorted file, plain and gzip.

Usage: python benchmarks/log_search.py [FOLDER] [MEGABYTES]

Writes the files into FOLDER once (default: a temporary folder), then measures, each in a process of its
own: a 30-minute window with and without a term, a full scan for a rare term, the same through gzip. If
`rg` is installed its time for the same term is shown beside. Figures depend on the machine: compare
ratios.
"""

from __future__ import annotations

import gzip
import importlib.util
import json
import random
import resource
import shutil
import subprocess
import sys
import tempfile
import time
from datetime import UTC, datetime, timedelta
from pathlib import Path

BEGIN = datetime(2026, 11, 30, tzinfo=UTC)
LINE_BYTES = 205
RARE = "zebraCrossingException"


def write_log(path: Path, size_mb: int) -> None:
    """Write about `size_mb` MB of an ordinary service log that covers one day."""
    lines = size_mb * 1_000_000 // LINE_BYTES
    rng = random.Random(1)
    step_us = 86_400_000_000 // lines
    with path.open("w", encoding="utf-8") as file:
        for number in range(lines):
            at = BEGIN + timedelta(microseconds=number * step_us)
            stamp = at.strftime("%Y-%m-%d %H:%M:%S.") + f"{at.microsecond // 1000:03d}"
            level, text = ("ERROR", "upstream timed out") if number % 97 == 0 else ("INFO", "request done")
            if number % (lines // 5) == lines // 7:
                level, text = "ERROR", RARE
            file.write(
                f"{stamp} {level} [http-nio-8080-exec-{number % 50}] c.e.pay.PayService - {text} "
                f"id={rng.randrange(10**9)} user={number % 977} took {rng.randrange(900)}ms status=200 "
                f"traceId={rng.getrandbits(128):032x} path=/api/v1/orders/{number}\n"
            )


def measure(path: Path, query: str, minutes: int) -> dict[str, float]:
    """Search once in this process; return seconds, matches and the peak memory in MB."""
    from superbiz_cli.adapters.log_backend import ConfiguredLogs
    from superbiz_cli.adapters.log_files.source import LogSource
    from superbiz_cli.harness.contract.limits import BudgetLimits
    from superbiz_cli.harness.core.run import Run
    from superbiz_cli.harness.tool.logs.contract import LogQuery, LogSourceKind, LogTopic, TimeWindow
    from superbiz_cli.harness.tool.logs.terms import parse_terms

    end = BEGIN + timedelta(hours=20)
    window = TimeWindow.between(end - timedelta(minutes=minutes), end)
    if minutes == 0:
        window = TimeWindow.between(BEGIN, BEGIN + timedelta(days=1))
    logs = ConfiguredLogs([LogSource("app", LogTopic.APPLICATION, LogSourceKind.FILES, (str(path),))])
    run = Run.start(session_id="bench", deadline_s=3600, limits=BudgetLimits())
    begin = time.perf_counter()
    raw = logs.search(LogQuery(LogTopic.APPLICATION, query, parse_terms(query), window), run=run)
    seconds = time.perf_counter() - begin
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    return {"seconds": seconds, "matches": raw.match_count, "peak_mb": peak}


def in_own_process(path: Path, query: str, minutes: int) -> dict[str, float]:
    """Run `measure` in a fresh interpreter, the better of two."""
    command = [sys.executable, __file__, "--measure", str(path), query, str(minutes)]
    results = [json.loads(subprocess.run(command, check=True, capture_output=True).stdout) for _ in range(2)]
    return min(results, key=lambda result: float(result["seconds"]))


def main(folder: Path, size_mb: int) -> None:
    """Write what is missing, measure, print."""
    plain = folder / f"service-{size_mb}.log"
    packed = folder / f"service-{size_mb}.log.gz"
    if not plain.exists():
        write_log(plain, size_mb)
    if not packed.exists():
        with plain.open("rb") as source, gzip.open(packed, "wb", compresslevel=4) as target:
            shutil.copyfileobj(source, target, 1 << 20)
    size = plain.stat().st_size / 1e6
    print(f"{size:.0f} MB, {plain.stat().st_size / LINE_BYTES / 1e6:.1f} M lines")
    for name, path, query, minutes in (
        ("30 minutes, all events", plain, "", 30),
        ("30 minutes, a term", plain, "timed out", 30),
        ("full scan, rare term", plain, RARE, 0),
        ("full scan, rare term, gzip", packed, RARE, 0),
    ):
        result = in_own_process(path, query, minutes)
        rate = f"{size / result['seconds']:6.0f} MB/s" if minutes == 0 else " " * 11
        print(
            f"{name:28} {result['seconds']:7.3f} s {rate}  {result['matches']:8.0f} matches"
            f"  peak {result['peak_mb']:4.0f} MB"
        )
    faster = "installed" if importlib.util.find_spec("hyperscan") else "not installed"
    print(f"hyperscan (extra fast-logs) is {faster}")
    if (rg := shutil.which("rg")) is not None:
        begin = time.perf_counter()
        subprocess.run([rg, "-i", "-F", "-c", RARE, str(plain)], check=False, capture_output=True)
        print(f"{'rg -i -F':28} {time.perf_counter() - begin:7.3f} s")


if __name__ == "__main__":
    if sys.argv[1:2] == ["--measure"]:
        print(json.dumps(measure(Path(sys.argv[2]), sys.argv[3], int(sys.argv[4]))))
    else:
        target = Path(sys.argv[1]) if len(sys.argv) > 1 else Path(tempfile.mkdtemp())
        main(target, int(sys.argv[2]) if len(sys.argv) > 2 else 1000)
