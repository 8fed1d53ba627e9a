"""The given scripts against the program as a process: what `make hostile` plays in full."""

from __future__ import annotations

import pytest

from tests.support.flow_world import World
from tests.support.hostile_cases import Case, hostile_cases, parameters, selection
from tests.support.hostile_checks import check
from tests.support.hostile_launch import play_as_process


@pytest.mark.parametrize("case", parameters(selection(hostile_cases(), here="none", in_ci="first")))
def test_a_script_against_the_process_ends_as_it_must(case: Case, world: World) -> None:
    check(play_as_process(case, world))
