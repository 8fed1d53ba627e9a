"""The program as a process between a real database and a model endpoint: raw rows stay, redacted ones go."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from superbiz_cli.adapters.sqlite_invocations import SqliteInvocationStore
from superbiz_cli.harness.tool.invocation import CanonicalInvocation
from tests.support.endpoint_run import diagnose_over_http
from tests.support.flow_books import balanced
from tests.support.flow_turns import Turn, calls, draft, item, says, script
from tests.support.flow_world import Flow, World
from tests.support.hostile_play import KEY
from tests.support.hostile_server import ScriptServer
from tests.support.mysql_scratch import Scratch, scratch_server
from tests.support.shop_database import SECRET, shop_sections, write_shop

COLUMNS = ("id", "status", "note", "api_token")
SQL = "SELECT id, note, api_token AS t, status FROM payments WHERE status = ? ORDER BY id"
RAW_ROWS = [[2, f"password={SECRET}", "t-2-canary", "STUCK"], [3, None, "t-3-canary", "STUCK"]]
SENT_ROWS = [[2, "password=[REDACTED_PASSWORD]", "[REDACTED]", "STUCK"], [3, None, "[REDACTED]", "STUCK"]]


@pytest.fixture
def sqlite_shop(world: World) -> World:
    world.settings.update(shop_sections(write_shop(world.folder), *COLUMNS))
    return world


@pytest.fixture
def mariadb_shop(world: World, monkeypatch: pytest.MonkeyPatch) -> Iterator[World]:
    """The same rows on a server, for an account that reads the allowed columns."""
    with scratch_server("flow") as server:
        world.settings.update(_on_server(server, world.folder))
        monkeypatch.setenv("SHOP_RO_PASSWORD", server.account("ro").password)
        yield world


def _on_server(server: Scratch, folder: Path) -> dict[str, dict[str, Any]]:
    sections = shop_sections(folder / "none", *COLUMNS)
    schema = server.create(
        "shop",
        "CREATE TABLE payments (id INT PRIMARY KEY, status VARCHAR(9), note VARCHAR(60), api_token TEXT)",
        f"INSERT INTO payments VALUES (1, 'PAID', 'fine', 't-1-canary'), "
        f"(2, 'STUCK', 'password={SECRET}', 't-2-canary'), (3, 'STUCK', NULL, 't-3-canary')",
    )
    account = server.create_account("ro", f"SELECT ({', '.join(COLUMNS)}) ON {schema}.payments")
    source = sections["[mysql.data_sources]"]
    source["url"] = f"mysql://{account.user}@{account.host}:{account.port}/{schema}"
    source["password_env"] = "SHOP_RO_PASSWORD"
    allowed = sections.pop("mysql.data_sources.allowed.shop")
    return {**sections, f"mysql.data_sources.allowed.{schema}": allowed}


@pytest.fixture(params=["sqlite_shop", pytest.param("mariadb_shop", marks=pytest.mark.mariadb)])
def shop(request: pytest.FixtureRequest) -> World:
    chosen: World = request.getfixturevalue(request.param)
    return chosen


def asks() -> Turn:
    given = {"data_source": "shop-ro", "sql": SQL, "params": ["STUCK"]}
    arguments = json.dumps({"previous_observation": None, "input": given})
    return calls({"id": "call_1", "name": "query_mysql", "arguments": arguments})


def record_of(flow: Flow) -> CanonicalInvocation:
    [evidence] = flow.document["evidence"]
    with closing(SqliteInvocationStore.open(flow.world.store_file)) as store:
        record = store.find(flow.document["run_id"], evidence["tool_call_id"])
    assert record is not None
    return record


def test_the_record_has_the_raw_rows_and_the_model_the_redacted_ones(shop: World) -> None:
    told = says(
        draft(
            item("The payments 2 and 3 have the status STUCK."),
            conclusion={"text": "Payments are stuck with the status STUCK.", "based_on_analysis_ids": ["A1"]},
        )
    )
    with ScriptServer(script(asks(), told)) as server:
        flow = diagnose_over_http(shop, server)

    assert flow.code == 0, flow.err
    balanced(flow)
    assert flow.document["evidence"][0]["tool_name"] == "query_mysql"
    record = record_of(flow)
    assert json.loads(record.raw_response or "")["rows"] == RAW_ROWS
    assert json.loads(record.agent_result or "")["rows"] == SENT_ROWS
    bodies = "".join(request.text for request in server.requests)
    assert json.dumps(json.dumps(SENT_ROWS, separators=(",", ":")))[1:-1] in bodies
    for secret in (SECRET, "canary", KEY):
        assert secret not in bodies
        assert secret not in flow.out + flow.err
        assert secret.encode() not in shop.audit_file.read_bytes()
