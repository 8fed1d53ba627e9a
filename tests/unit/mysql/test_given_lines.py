"""Every given attack is refused, every given benign query accepted, every secret hidden."""

from __future__ import annotations

from typing import Any

import pytest

from superbiz_cli.harness.tool.mysql.contract import QueryRefused, Refusal
from superbiz_cli.harness.tool.mysql.policy import check_query, plan_query
from tests.support.sql_lines import given_source, sql_folder, sql_lines

# Where the advice is to accept and we refuse: a value that is neither grouped nor aggregated is no
# evidence, and a caller's value is compared in the SELECT list only under an aggregate.
STRICTER_THAN_ADVISED = {Refusal.NOT_GROUPED, Refusal.PLACEHOLDER_IN_PROJECTION}


def parametrised(file: str) -> pytest.MarkDecorator:
    return pytest.mark.parametrize("line", [pytest.param(line, id=line["id"]) for line in sql_lines(file)])


def test_the_given_lines_are_there() -> None:
    sql_folder()
    assert all(sql_lines(f"{name}.jsonl") for name in ("attacks", "benign", "edge", "redaction"))


@parametrised("attacks.jsonl")
def test_an_attack_is_refused_with_one_word(line: dict[str, Any]) -> None:
    verdict = check_query(given_source(), line["sql"], line["params"])

    assert not verdict.accepted
    assert verdict.category is not None
    assert verdict.canonical is None


@parametrised("benign.jsonl")
def test_a_benign_query_is_accepted_and_its_canonical_form_is_a_fixed_point(line: dict[str, Any]) -> None:
    verdict = check_query(given_source(), line["sql"], line["params"])

    assert verdict.accepted, verdict.category
    assert verdict.canonical is not None
    assert check_query(given_source(), verdict.canonical, line["params"]).canonical == verdict.canonical


@parametrised("edge.jsonl")
def test_an_undecided_case_follows_the_advice_or_a_stated_reason(line: dict[str, Any]) -> None:
    verdict = check_query(given_source(), line["sql"], line["params"])
    advice = line["recommended"]

    if advice.startswith("accept") and "reject" not in advice:
        assert verdict.accepted or verdict.category in STRICTER_THAN_ADVISED
    elif advice == "reject":
        assert not verdict.accepted


@parametrised("redaction.jsonl")
def test_a_secret_is_hidden_or_the_query_is_refused(line: dict[str, Any]) -> None:
    source = given_source(with_secrets=True)
    if line["expect"] == "accept":
        columns = plan_query(source, line["sql"], line["params"]).columns
        hidden = {place for place, column in enumerate(columns) if column.redacted}
        assert set(line["redacted_columns"]) <= hidden
    elif line["expect"] == "reject":
        with pytest.raises(QueryRefused):
            plan_query(source, line["sql"], line["params"])
    else:
        verdict = check_query(source, line["sql"], line["params"])
        assert not verdict.accepted
