"""The given scripts over HTTP: the real model adapter against a server that plays the turns."""

from __future__ import annotations

import pytest

from tests.support.flow_world import World
from tests.support.hostile_cases import Case, hostile_cases, parameters, selection
from tests.support.hostile_checks import check
from tests.support.hostile_play import play_over_http


@pytest.fixture(scope="module", autouse=True)
def _loaded() -> None:
    """Load litellm before the first case: a router attempt does not last as long as its import can."""
    from superbiz_cli.adapters.litellm_runtime import LitellmRuntime
    from superbiz_cli.harness.core.cancellation import Cancellation

    runtime = LitellmRuntime()
    runtime.start()
    assert runtime.wait(timeout_s=100, cancel=Cancellation()) is not None
    runtime.close()


@pytest.mark.parametrize("case", parameters(selection(hostile_cases(), here="first", in_ci="first")))
def test_a_script_over_http_ends_as_it_must(case: Case, world: World) -> None:
    check(play_over_http(case, world))
