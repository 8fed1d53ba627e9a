"""Our own attacks are refused with a word, and what an investigator would ask is accepted."""

from __future__ import annotations

import pytest

from superbiz_cli.harness.tool.mysql.contract import DataSource
from superbiz_cli.harness.tool.mysql.policy import check_query
from tests.support.sql_own_attacks import ATTACKS, ORACLES, Line
from tests.support.sql_own_queries import BENIGN
from tests.support.sql_shop import SECRETS, SOURCE


@pytest.mark.parametrize(
    ("source", "line"),
    [*((SOURCE, line) for line in ATTACKS), *((SECRETS, line) for line in ORACLES)],
    ids=lambda value: value[0][:60] if isinstance(value, tuple) else "",
)
def test_an_attack_is_refused_with_a_word_and_nothing_else(source: DataSource, line: Line) -> None:
    verdict = check_query(source, *line)

    assert (verdict.accepted, verdict.canonical) == (False, None)
    assert verdict.category is not None


@pytest.mark.parametrize("line", BENIGN, ids=lambda value: value[0][:60])
def test_a_reasonable_query_is_accepted_and_its_canonical_form_is_a_fixed_point(line: Line) -> None:
    sql, values = line
    verdict = check_query(SOURCE, sql, values)

    assert verdict.accepted, verdict.category
    assert verdict.canonical is not None
    assert check_query(SOURCE, verdict.canonical, values) == verdict
