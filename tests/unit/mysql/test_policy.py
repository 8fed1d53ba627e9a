"""The validator as a whole: one word for every surprise, and nothing heavy before it is needed."""

from __future__ import annotations

import subprocess
import sys
from dataclasses import replace
from typing import Any

import pytest

from superbiz_cli.harness.tool.mysql import policy
from superbiz_cli.harness.tool.mysql.contract import QueryRefused, Refusal
from superbiz_cli.harness.tool.mysql.policy import QueryVerdict, check_query, plan_query
from tests.support.sql_shop import SOURCE


def test_a_verdict_says_as_what_or_why_not() -> None:
    assert check_query(SOURCE, "SELECT id FROM tickets WHERE id = ?", [1]) == QueryVerdict(
        accepted=True,
        canonical="SELECT `tickets`.`id` FROM `store`.`tickets` WHERE `tickets`.`id` = ?",
    )
    assert check_query(SOURCE, "SELECT 1") == QueryVerdict(accepted=False, category=Refusal.LITERAL)


@pytest.mark.parametrize(
    ("surprise", "category"), [(RuntimeError("secret"), Refusal.SYNTAX), (RecursionError(), Refusal.TOO_DEEP)]
)
def test_any_exception_is_a_refusal_without_its_text(
    surprise: Exception, category: Refusal, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*_: object) -> None:
        raise surprise

    monkeypatch.setattr(policy, "check_text", fail)

    with pytest.raises(QueryRefused) as caught:
        plan_query(SOURCE, "SELECT id FROM tickets")
    assert caught.value.args == (category.value,)


@pytest.mark.parametrize("sql", [None, 7, b"SELECT id FROM tickets", ["SELECT"]])
def test_a_query_that_is_no_text_is_a_refusal(sql: Any) -> None:
    assert not check_query(SOURCE, sql).accepted


def test_a_source_that_allows_nothing_accepts_nothing() -> None:
    nothing: list[dict[str, dict[str, tuple[str, ...]]]] = [{}, {"store": {}}, {"store": {"tickets": ()}}]
    for allowed in nothing:
        assert not check_query(replace(SOURCE, allowed=allowed), "SELECT id FROM tickets").accepted


def test_parser_and_driver_are_loaded_only_when_they_are_needed() -> None:
    program = (
        "import sys, superbiz_cli.harness.tool.mysql.tool, superbiz_cli.adapters.sql_sources as sources\n"
        "sources.open_source('mysql://ro@db/shop')\n"
        "print(sorted({'sqlglot', 'pymysql'} & set(sys.modules)))"
    )

    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)

    assert done.stdout.strip() == "[]"
