"""A diagnosis over real log files of many formats finds the lines that are known to be there."""

from __future__ import annotations

import json
import re
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from tests.support.flow_turns import calls, draft, says, script
from tests.support.flow_world import World
from tests.support.shared_data import shared_data, shared_lines

LONGEST = timedelta(minutes=1440)
MARGIN = timedelta(minutes=1)


def window_of(entry: dict[str, Any]) -> tuple[datetime, datetime] | None:
    """First and last time, None for a file that says nothing to search for or spans too much."""
    if not entry.get("query") or not entry.get("match_count") or not entry.get("first_ts"):
        return None
    first, last = (
        datetime.fromisoformat(re.sub(r"\.(\d{1,6})\d*", r".\1", entry[key]))
        for key in ("first_ts", "last_ts")
    )
    first, last = (moment if moment.tzinfo else moment.replace(tzinfo=UTC) for moment in (first, last))
    return (first, last) if last - first < LONGEST - 2 * MARGIN else None


ENTRIES = [entry for entry in shared_lines("logs", "truth.jsonl") if window_of(entry)]


@pytest.mark.skipif(not ENTRIES, reason="no shared log files")
@pytest.mark.parametrize("entry", ENTRIES, ids=lambda entry: entry["file"])
def test_a_diagnosis_finds_what_is_known_to_be_in_a_real_file(world: World, entry: dict[str, Any]) -> None:
    window = window_of(entry)
    assert window is not None
    first, last = window
    path = shared_data("logs") / "files" / entry["file"]
    topic = "DATABASE_SLOW_QUERY" if "slow" in path.name else "APPLICATION"
    world.with_logs = False
    world.settings["[logs.sources]"] = {
        "name": "real",
        "topic": topic,
        "kind": "files",
        "paths": [str(path)],
        "timezone": "UTC",
    }
    minutes = int((last - first + 2 * MARGIN).total_seconds() // 60) + 1
    asked = {"topic": topic, "query": entry["query"], "lookback_minutes": min(minutes, 1440)}
    turn = calls(
        {
            "id": "call_1",
            "name": "query_logs",
            "arguments": json.dumps({"previous_observation": None, "input": asked}),
        }
    )
    ended = script(turn, says(draft(analysis=[], conclusion=None)))
    flow = world.ask(ended, "--json", "--at", (last + MARGIN).isoformat())
    assert flow.code == 3, flow.err
    facts = flow.document["fallback"]["observed_facts"]
    assert facts != []
    [found] = re.findall(r"([\d,]+) found", flow.err)
    matches = int(found.replace(",", ""))
    assert matches in {entry["match_count"], entry.get("alt_match_count", entry["match_count"])}
