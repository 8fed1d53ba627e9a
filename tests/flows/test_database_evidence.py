"""query_mysql inside a diagnosis: rows become evidence, secrets stay out, refusals leave no record."""

from __future__ import annotations

import json
import re
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from tests.support.flow_books import balanced
from tests.support.flow_turns import Turn, calls, diagnosis, draft, item, says, script
from tests.support.flow_world import World
from tests.support.shop_database import SECRET, shop_sections, write_shop

STUCK = "SELECT status, COUNT(*) AS payments FROM payments WHERE status = ? GROUP BY status"
NOTES = "SELECT id, note FROM payments WHERE status = ? ORDER BY id"


@pytest.fixture
def shop(world: World) -> World:
    world.settings.update(shop_sections(write_shop(world.folder)))
    return world


def asks_database(sql: str = STUCK, *params: str) -> Turn:
    given = {"data_source": "shop-ro", "sql": sql, "params": list(params or ("STUCK",))}
    arguments = json.dumps({"previous_observation": None, "input": given})
    return calls({"id": "call_1", "name": "query_mysql", "arguments": arguments})


def found(text: str) -> Turn:
    return says(
        draft(
            item(text),
            conclusion={"text": "Payments are stuck with the status STUCK.", "based_on_analysis_ids": ["A1"]},
        )
    )


def test_a_diagnosis_cites_a_row_of_the_database(shop: World) -> None:
    flow = shop.ask(script(asks_database(), found("There are 2 payments with the status STUCK.")), "--json")
    assert flow.code == 0, flow.err
    published = balanced(flow)
    [evidence] = published["evidence"]
    assert evidence["tool_name"] == "query_mysql"
    assert evidence["excerpt"] == "status=STUCK, payments=2"
    assert published["report"]["analysis"][0]["refs"] == [1]


def test_a_count_that_no_row_holds_is_not_released(shop: World) -> None:
    wrong = found("There are 7 payments with the status STUCK.")
    flow = shop.ask(script(asks_database(), wrong, repair=[wrong]), "--json")
    assert flow.code == 3
    assert flow.document["release_outcome"] == "FALLBACK"


def test_the_record_holds_the_raw_row_and_nothing_else_does(shop: World) -> None:
    told = found("The payments 2 and 3 have the status STUCK.")
    flow = shop.ask(script(asks_database(NOTES), told), "--json", "--debug")
    assert SECRET not in flow.out + flow.err
    assert "[REDACTED_PASSWORD]" in flow.out
    assert SECRET in _everything(shop.store_file)
    audit = _everything(shop.audit_file)
    assert "[REDACTED_PASSWORD]" in audit
    assert SECRET not in audit


def test_a_refused_query_reaches_no_database(shop: World) -> None:
    flow = shop.ask(script(asks_database("SELECT password FROM accounts WHERE id = ?", "1"), says(draft())))
    [rejected] = flow.events("TOOL_REQUEST_REJECTED")
    assert (rejected["tool"], rejected["reason"]) == ("query_mysql", "INVALID_REQUEST")
    assert flow.events("TOOL_INVOCATION") == []
    assert flow.code == 3


def test_without_a_data_source_there_is_no_such_tool(world: World) -> None:
    flow = world.ask(script(asks_database(), says(draft())))
    assert flow.events("TOOL_INVOCATION") == []


def test_logs_are_searched_while_the_database_does_not_answer(shop: World) -> None:
    (shop.folder / "shop.sqlite").unlink()
    assert shop.ask(diagnosis(), "--json").code == 0


def _everything(file: Path) -> str:
    """Return all that a SQLite file holds, as one text."""
    with closing(sqlite3.connect(file)) as connection:
        dump = "\n".join(connection.iterdump())
    blobs = [bytes.fromhex(found) for found in re.findall(r"X'([0-9A-F]*)'", dump)]
    return "\n".join([dump, *(blob.decode("utf-8", "replace") for blob in blobs)])
