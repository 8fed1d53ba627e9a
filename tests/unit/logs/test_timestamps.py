"""Lines of many programs with the local time that their authors expect."""

from __future__ import annotations

import re
from datetime import UTC, datetime
from zoneinfo import ZoneInfo

from superbiz_cli.adapters.log_files.header import find_header
from superbiz_cli.adapters.log_files.resolve import Resolver
from tests.support.shared_data import shared_data

ZONE = ZoneInfo("Europe/Zurich")  # where the expectations were written
REFERENCE = datetime(2005, 8, 14, 12, 0, tzinfo=ZONE)  # the "now" of lines without a year


def test_at_least_98_percent_of_the_lines_are_read_as_expected() -> None:
    path = shared_data("logs") / "timestamps.tsv"
    resolver = Resolver(zone=ZONE, reference=REFERENCE)
    wrong, total = [], 0
    for row in path.read_text("utf-8", "surrogateescape").split("\n")[1:]:
        if not row:
            continue
        total += 1
        _, expected, line = row.split("\t", 2)
        header = find_header(line.encode("utf-8", "surrogateescape"))
        at_us = None if header is None else resolver.resolve(header.stamp)
        local = None
        if at_us is not None:
            local = datetime.fromtimestamp(at_us // 1_000_000, UTC).astimezone(ZONE).replace(tzinfo=None)
        written = datetime.fromisoformat(re.sub(r"-(\d)T", r"-0\1T", expected)).replace(microsecond=0)
        if local != written:
            wrong.append(line[:80])
    assert total
    assert len(wrong) <= 0.02 * total, wrong
