"""query_mysql as the fact boundary and the model see it."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import pytest

from superbiz_cli.harness.contract.evidence import IncidentWindow
from superbiz_cli.harness.contract.status import CancelReason
from superbiz_cli.harness.contract.tool_call import ToolName
from superbiz_cli.harness.core.run import Run, RunAborted
from superbiz_cli.harness.tool.mysql.contract import MysqlRequest, QueryPlan, RawTable
from superbiz_cli.harness.tool.mysql.describe import MAX_CATALOGUE_CHARS, RULES, describe
from superbiz_cli.harness.tool.mysql.tool import ConnectedSource, MysqlTool
from superbiz_cli.harness.tool.port import CallContext, EvidenceTool, ToolRejected
from superbiz_cli.harness.tool.redact import Redactor
from tests.support.clock import FakeClock
from tests.support.runs import start_run
from tests.support.sql_shop import SECRETS, SOURCE

CLOCK = FakeClock()
INCIDENT = IncidentWindow(until=CLOCK.now())
QUERY: dict[str, Any] = {
    "data_source": "store-ro",
    "sql": "select State s, count(*) from tickets group by s",
    "params": [],
}


class FixedRows:
    """An executor that returns the same rows and remembers what it was asked."""

    def __init__(self) -> None:
        self.plans: list[QueryPlan] = []

    def run(self, plan: QueryPlan, *, run: Run) -> RawTable:
        self.plans.append(plan)
        return RawTable((("NEW", 3),), truncated=False)


def tool(executor: FixedRows | None = None) -> MysqlTool:
    rows = executor or FixedRows()
    return MysqlTool([ConnectedSource(SOURCE, rows), ConnectedSource(SECRETS, rows)], redactor=Redactor())


def parse(payload: Mapping[str, Any]) -> MysqlRequest:
    return tool().parse(payload, incident=INCIDENT)


def test_it_is_an_evidence_tool() -> None:
    checked: EvidenceTool[MysqlRequest] = tool()
    assert checked.name is ToolName.QUERY_MYSQL


def test_a_call_goes_from_text_to_rows_and_back() -> None:
    executor = FixedRows()
    mysql = tool(executor)
    request = mysql.parse(QUERY, incident=INCIDENT)

    raw = mysql.fetch(request, CallContext(start_run(CLOCK), INCIDENT))
    projection = mysql.project(request, raw, tool_call_id="ev-1")

    assert executor.plans == [request.plan]
    assert json.loads(raw)["rows"] == [["NEW", 3]]
    assert mysql.read(projection.agent_result, tool_call_id="ev-1").excerpt == "s=NEW, COUNT(*)=3"


def test_an_ended_run_asks_no_server() -> None:
    executor, run = FixedRows(), start_run(CLOCK)
    run.cancel(CancelReason.USER_REQUESTED)

    with pytest.raises(RunAborted):
        tool(executor).fetch(parse(QUERY), CallContext(run, INCIDENT))

    assert executor.plans == []


@pytest.mark.parametrize(
    ("change", "category"),
    [
        ({"data_source": "elsewhere"}, "data_source_unknown"),
        ({"data_source": 7}, "invalid_arguments"),
        ({"sql": None}, "invalid_arguments"),
        ({"params": "x"}, "invalid_arguments"),
        ({"params": {"a": 1}}, "invalid_arguments"),
        ({"limit": 3}, "invalid_arguments"),
        ({"sql": "DROP TABLE tickets"}, "not_a_select"),
        ({"params": [1]}, "parameter_count"),
    ],
)
def test_an_unacceptable_call_is_rejected_with_one_word(change: dict[str, Any], category: str) -> None:
    with pytest.raises(ToolRejected) as caught:
        parse(QUERY | change)

    assert caught.value.category == category
    assert caught.value.__cause__ is None


def test_params_may_be_left_out() -> None:
    assert parse({"data_source": "store-ro", "sql": "SELECT id FROM tickets"}).plan.parameters == ()


def test_the_record_holds_the_words_of_the_model_and_what_was_made_of_them() -> None:
    assert json.loads(tool().request_json(parse(QUERY))) == {
        "data_source": "store-ro",
        "sql": "select State s, count(*) from tickets group by s",
        "canonical": "SELECT `tickets`.`state` AS `s`, COUNT(*) FROM `store`.`tickets` GROUP BY `s`",
        "params": [],
    }


@pytest.mark.parametrize(
    "other",
    [
        {"sql": "SELECT t.state FROM tickets t WHERE t.id = ? LIMIT ?", "params": [1, 500]},
        {"sql": "SELECT STATE AS x FROM store.tickets WHERE (ID) = ?", "params": [1]},
    ],
)
def test_queries_that_mean_the_same_have_one_scope(other: dict[str, Any]) -> None:
    first = parse(QUERY | {"sql": "SELECT state FROM tickets WHERE id = ?", "params": [1]})

    assert tool().scope_key(parse(QUERY | other)) == tool().scope_key(first)


@pytest.mark.parametrize(
    ("where", "params"),
    [
        ("state = ? AND id > ?", ["open", 5]),
        ("? = state AND id > ?", ["open", 5]),
        ("id > ? AND state = ? AND id > ?", [5, "open", 5]),
        ("(id > ?) AND (state <=> ?)", [5, "open"]),
    ],
)
def test_the_order_of_conditions_makes_no_other_scope(where: str, params: list[Any]) -> None:
    first = QUERY | {"sql": "SELECT id FROM tickets WHERE id > ? AND state = ?", "params": [5, "open"]}
    other = QUERY | {"sql": f"SELECT id FROM tickets WHERE {where}", "params": params}
    is_same = "<=>" not in where
    assert (tool().scope_key(parse(other)) == tool().scope_key(parse(first))) is is_same


def test_the_order_of_a_list_makes_no_other_scope_but_that_of_an_inequality_does() -> None:
    def key(where: str, *params: Any) -> str:
        query = {"sql": f"SELECT id FROM tickets WHERE {where}", "params": list(params)}
        return tool().scope_key(parse(QUERY | query))

    assert key("id IN (?, ?)", 1, 2) == key("id IN (?, ?, ?)", 2, 1, 2)
    assert key("id IN (?, ?)", 1, 2) != key("id IN (?, ?)", 1, 3)
    assert key("id < ?", 1) != key("? < id", 1)
    assert key("id = ? OR id = ?", 1, 2) == key("id = ? OR id = ?", 2, 1)
    assert key("id = ? OR id = ?", 1, 2) != key("id = ? AND id = ?", 2, 1)
    assert key("id BETWEEN ? AND ?", 1, 2) != key("id BETWEEN ? AND ?", 2, 1)


@pytest.mark.parametrize(
    "other",
    [
        {"params": [2]},
        {"params": ["1"]},
        {"sql": "SELECT state FROM tickets WHERE id <> ?"},
        {"sql": "SELECT state FROM tickets WHERE id = ? LIMIT ?", "params": [1, 5]},
        {"data_source": "store-all", "sql": "SELECT name FROM people WHERE id = ?"},
    ],
)
def test_queries_that_differ_have_different_scopes(other: dict[str, Any]) -> None:
    first = QUERY | {"sql": "SELECT state FROM tickets WHERE id = ?", "params": [1]}

    assert tool().scope_key(parse(first | other)) != tool().scope_key(parse(first))


def test_the_live_view_shows_the_query_without_values() -> None:
    shown = tool().scope_display(
        parse(
            {"data_source": "store-ro", "sql": "SELECT id FROM tickets WHERE state = ?", "params": ["s3cret"]}
        )
    )

    assert shown == "store-ro: SELECT tickets.id FROM store.tickets WHERE tickets.state = ?"
    long = parse(QUERY | {"sql": f"SELECT id FROM tickets WHERE id IN ({', '.join(['id'] * 50)})"})
    assert len(tool().scope_display(long)) == 120


def test_the_schema_names_the_data_sources_and_three_fields() -> None:
    schema = tool().input_schema

    assert schema["properties"]["data_source"]["enum"] == ["store-ro", "store-all"]
    assert schema["required"] == ["data_source", "sql", "params"]
    assert schema["additionalProperties"] is False


def test_the_description_lists_what_may_be_named() -> None:
    source = replace(SOURCE, description="the ticket desk", types={"store.tickets.price": "decimal(10,2)"})

    text = describe([source, SECRETS])

    assert text.startswith(RULES)
    assert 'data_source "store-ro": the ticket desk' in text
    assert "- tickets(id, owner_id, state, price decimal(10,2), opened_at, offset)" in text
    assert "- ledger.entries(id, ticket_id, total)" in text
    assert "password_hash hidden" in text


def test_the_description_is_bounded() -> None:
    tables = {f"table_{number}": tuple(f"column_{place}" for place in range(20)) for number in range(100)}

    text = describe([replace(SOURCE, allowed={"store": tables})])

    assert len(text) < len(RULES) + MAX_CATALOGUE_CHARS + 60
    assert text.rstrip(")").endswith("more lines are not shown")
