from __future__ import annotations

import pytest

from superbiz_cli.harness.contract.status import InformationGain
from superbiz_cli.harness.progress.protocol import Rating, ViolationType, violation_of

GAINED = Rating("ev-1", InformationGain.GAINED)
OTHER = Rating("ev-2", InformationGain.GAINED)


@pytest.mark.parametrize(
    ("rating", "pending_id", "expected"),
    [
        (None, None, None),
        (GAINED, "ev-1", None),
        (GAINED, None, ViolationType.UNEXPECTED_PREVIOUS_OBSERVATION),
        (None, "ev-1", ViolationType.MISSING_PREVIOUS_OBSERVATION),
        (OTHER, "ev-1", ViolationType.OUT_OF_ORDER_PREVIOUS_OBSERVATION),
    ],
)
def test_a_rating_is_legal_exactly_when_it_names_the_call_that_waits_for_one(
    rating: Rating | None, pending_id: str | None, expected: ViolationType | None
) -> None:
    assert violation_of(rating, pending_id=pending_id) is expected


def test_an_id_that_differs_only_in_spacing_is_another_call() -> None:
    rating = Rating("ev-1 ", InformationGain.GAINED)
    assert violation_of(rating, pending_id="ev-1") is ViolationType.OUT_OF_ORDER_PREVIOUS_OBSERVATION
