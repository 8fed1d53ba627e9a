"""What the offline model says of patterns counted in a sample: no figure that a sample cannot give."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime, timedelta

from superbiz_cli.adapters.offline.plan import fill_sentence
from superbiz_cli.adapters.offline.sighting import Seen, Sighting
from superbiz_cli.adapters.offline.statements import fact_sentence, origin_sentence
from superbiz_cli.adapters.offline.transcript import Fact, Observation, is_new

START = datetime(2026, 11, 30, 10, tzinfo=UTC)
SAMPLED = Fact(
    text="connection refused by the pool",
    count=220,
    first=START + timedelta(minutes=20),
    last=START + timedelta(minutes=29),
    service="pay",
    level="ERROR",
    is_sampled=True,
)
OBSERVATION = Observation(
    kind="RESULT",
    tool="query_logs",
    tool_call_id="ev-1",
    found=True,
    result={"scope": {"start": START.isoformat(), "end": (START + timedelta(minutes=30)).isoformat()}},
)


def test_a_count_is_a_lower_bound() -> None:
    assert fact_sentence("en", SAMPLED, OBSERVATION) == (
        "pay logged at least 220 times, in a sample from 10:20:00 to 10:29:00: "
        '"connection refused by the pool".'
    )
    assert "至少记录了 220 次" in (fact_sentence("zh", SAMPLED, OBSERVATION) or "")


def test_a_beginning_is_not_known() -> None:
    assert not is_new(SAMPLED, OBSERVATION.window)
    assert is_new(replace(SAMPLED, is_sampled=False), OBSERVATION.window)
    assert origin_sentence("en", SAMPLED, OBSERVATION, None) == ""


def test_a_finding_states_no_figure_of_a_sample() -> None:
    seen = Seen({"pool": Sighting("pool", fact=SAMPLED, observation=OBSERVATION, quote="refused", values={})})
    assert fill_sentence("It was refused {pool.count} times.", seen) is None
    assert fill_sentence("It is refused since {pool.first}.", seen) is None
    assert fill_sentence("{pool.service} is refused.", seen) == "pay is refused."
