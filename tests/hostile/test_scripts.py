"""Every given script, played in process through the whole program: command line, harness, audit."""

from __future__ import annotations

import pytest

from tests.support.flow_world import World
from tests.support.hostile_cases import Case, hostile_cases, parameters
from tests.support.hostile_checks import check
from tests.support.hostile_play import play_scripted


@pytest.mark.parametrize("case", parameters(hostile_cases()))
def test_a_script_ends_as_it_must(case: Case, world: World) -> None:
    check(play_scripted(case, world))
