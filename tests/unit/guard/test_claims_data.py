"""How often the claim check is wrong: on the committed pairs, and on the shared ones where they are.

The committed set (claims_own.jsonl) is our own: other incidents, both languages, logs, tables and
runbooks. The shared set is labelled by others and is not copied here.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.support.claim_pairs import Score, judge, read_pairs, score, score_altered
from tests.support.shared_data import shared_data

OWN = Path(__file__).with_name("claims_own.jsonl")
MOST_ACCEPTED = 0.01
MOST_REFUSED = 0.05
MOST_ALTERED_ACCEPTED = 0.04


def report(name: str, result: Score) -> None:
    print(  # noqa: T201 - the figure is what one runs this test for (pytest -s)
        f"\n{name}: {len(result.accepted)} of {result.fabricated} fabricated accepted, "
        f"{len(result.refused)} of {result.supported} supported refused"
    )


def test_the_own_set_is_large_and_in_both_languages() -> None:
    pairs = read_pairs(OWN)
    assert len(pairs) >= 100
    assert {pair["lang"] for pair in pairs} == {"en", "zh"}
    assert len({pair["id"] for pair in pairs}) == len(pairs)
    assert {pair.get("tool", "query_logs") for pair in pairs} == {
        "query_logs",
        "query_mysql",
        "lookup_knowledge",
    }


def test_the_own_pairs_are_judged_within_the_promised_error(tmp_path: Path) -> None:
    result = score(read_pairs(OWN), tmp_path)
    report("own", result)
    assert result.accepted_share <= MOST_ACCEPTED, result.accepted
    assert result.refused_share <= MOST_REFUSED, result.refused


def test_the_shared_pairs_are_judged_within_the_promised_error(tmp_path: Path) -> None:
    result = score(read_pairs(shared_data("claims") / "claims.jsonl"), tmp_path)
    report("shared", result)
    assert result.accepted_share <= MOST_ACCEPTED, result.accepted
    assert result.refused_share <= MOST_REFUSED, result.refused


def test_an_altered_digit_is_noticed_in_nearly_every_place(tmp_path: Path) -> None:
    result = score_altered(read_pairs(OWN), tmp_path)
    print(f"\nown: {len(result.accepted)} of {result.fabricated} altered digits accepted")  # noqa: T201
    assert result.accepted_share <= MOST_ALTERED_ACCEPTED, result.accepted


@pytest.mark.parametrize("zone", ["Asia/Shanghai", "America/New_York"])
def test_a_stated_zone_is_understood_whatever_zone_the_user_reads(zone: str, tmp_path: Path) -> None:
    zoned = [pair for pair in read_pairs(OWN) if pair["kind"] in ("time_zone", "timezone_wrong")]
    assert zoned
    for pair in zoned:
        assert bool(judge({**pair, "timezone": zone}, tmp_path)) == (pair["label"] == "fabricated"), pair[
            "claim"
        ]
