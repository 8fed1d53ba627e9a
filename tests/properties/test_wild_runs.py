"""Any model, tools, faults and user: the invariants of every Run, on thousands of random worlds.

SUPERBIZ_TEST_EXAMPLES sets how many (`make soak` takes many more). A failure is shown as the bytes of its
world; `WildRun(bytes)` plays it again.
"""

from __future__ import annotations

import logging
import os
import random
from collections.abc import Iterator
from typing import Any
from unittest import mock

import pytest
from hypothesis import Phase, given, settings
from hypothesis import strategies as st

from superbiz_cli.harness.contract.draft import Draft
from superbiz_cli.harness.contract.status import ReleaseOutcome, RunState
from superbiz_cli.harness.core.lifecycle import Lifecycle
from superbiz_cli.harness.guard.semantic import SemanticGuard, Supported
from superbiz_cli.harness.progress.tracker import ProgressTracker
from superbiz_cli.harness.tool.redact import Redactor
from tests.support.wild_checks import INVARIANTS
from tests.support.wild_runs import WildRun

_finish = Lifecycle.finish
EXAMPLES = int(os.environ.get("SUPERBIZ_TEST_EXAMPLES", "20000"))
SHARDS = 10
LONGEST = 240


@pytest.fixture(autouse=True)
def _quiet() -> Iterator[None]:
    """An unexpected exception of a tool or a guard is logged with its traceback: thousands of them here."""
    logging.disable(logging.CRITICAL)
    yield
    logging.disable(logging.NOTSET)


@pytest.mark.timeout(0)
@pytest.mark.parametrize("shard", range(SHARDS))
@settings(max_examples=max(1, EXAMPLES // SHARDS), database=None, phases=[Phase.generate, Phase.shrink])
@given(decisions=st.binary(max_size=LONGEST))
def test_the_invariants_hold_whatever_happens(shard: int, decisions: bytes) -> None:
    world = WildRun(decisions)
    result = world.play()
    for check in INVARIANTS.values():
        check(world, result)


def test_the_tame_world_ends_in_a_report() -> None:
    """Without it the others could all be failures."""
    assert WildRun(b"").play().release_outcome is ReleaseOutcome.SUCCESS


FAULTY: dict[str, tuple[str, Any]] = {
    "a: unfounded claims pass": (
        "a",
        lambda: mock.patch("superbiz_cli.harness.release.decide.check_claims", return_value=()),
    ),
    "a: the judge is not asked": (
        "a",
        lambda: mock.patch.object(SemanticGuard, "judge", return_value=Supported("fine")),
    ),
    "b: recitals pass": (
        "b",
        lambda: mock.patch("superbiz_cli.harness.release.decide.check_disclosure", return_value=()),
    ),
    "b: the conclusion is named as missing": (
        "b",
        lambda: mock.patch("superbiz_cli.harness.release.decide.missing_info_of", _conclusion_of),
    ),
    "c: the last end wins": ("c", lambda: mock.patch.object(Lifecycle, "finish", _overwrite)),
    "d: nothing is redacted": ("d", lambda: mock.patch.object(Redactor, "redact", lambda _, text: text)),
    "e: repetitions are free": (
        "e",
        lambda: mock.patch.object(ProgressTracker, "record_repetition"),
    ),
}


@pytest.mark.parametrize("name", FAULTY)
def test_a_program_with_this_fault_is_found_out(name: str) -> None:
    letter, patch = FAULTY[name]
    chance = random.Random(5)
    with patch():
        for _ in range(3_000):
            world = WildRun(chance.randbytes(chance.choice((20, 60, 120))))
            try:
                INVARIANTS[letter](world, world.play())
            except (AssertionError, LookupError):
                return
    pytest.fail("no world shows the fault")


def _conclusion_of(draft: Draft) -> tuple[str, ...]:
    return ((draft.conclusion and draft.conclusion.text) or "nothing",)


def _overwrite(lifecycle: Lifecycle, state: RunState, reason: str) -> bool:
    lifecycle._ends.clear()
    return _finish(lifecycle, state, reason)
