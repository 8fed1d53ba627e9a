"""A source of evidence fails while it is being read: that call fails or finds less, and the Run goes on."""

from __future__ import annotations

import json
import os
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import pymysql
import pytest

from superbiz_cli.harness.contract.status import CancelReason
from superbiz_cli.harness.core.run import Run
from tests.support.flow_books import balanced, unproven, works_again
from tests.support.flow_turns import CONCLUSION, asks_logs, calls, diagnosis, draft, item, says, script
from tests.support.flow_world import World
from tests.support.mysql_scratch import Scratch, scratch_server

COUNT = "SELECT COUNT(*) FROM payments WHERE status = ?"
ASKS_MYSQL = calls(
    {
        "id": "call_1",
        "name": "query_mysql",
        "arguments": json.dumps(
            {
                "previous_observation": None,
                "input": {"data_source": "shop-ro", "sql": COUNT, "params": ["STUCK"]},
            }
        ),
    }
)
CITES_MYSQL = draft(item("the payments are stuck"))


@pytest.fixture
def server() -> Iterator[Scratch]:
    with scratch_server("fault") as scratch:
        yield scratch


@pytest.fixture
def shop(world: World, server: Scratch, monkeypatch: pytest.MonkeyPatch) -> World:
    """A shop on a server of its own names, whose one table may be read."""
    schema = server.create(
        "shop",
        "CREATE TABLE payments (id INT PRIMARY KEY, status VARCHAR(9))",
        "INSERT INTO payments VALUES (1, 'STUCK')",
    )
    account = server.create_account("ro", f"SELECT ON {schema}.payments")
    monkeypatch.setenv("SHOP_RO_PASSWORD", account.password)
    world.settings["[mysql.data_sources]"] = {
        "id": "shop-ro",
        "url": f"mysql://{account.user}@{account.host}:{account.port}/{schema}",
        "password_env": "SHOP_RO_PASSWORD",
    }
    world.settings[f"mysql.data_sources.allowed.{schema}"] = {"payments": ["id", "status"]}
    return world


@contextmanager
def locked(server: Scratch) -> Iterator[None]:
    """Hold the table, so that a query of it waits."""
    root = server.root
    holder: Any = pymysql.connect(host=root.host, port=root.port, user=root.user, password=root.password)
    try:
        with holder.cursor() as cursor:
            cursor.execute(f"LOCK TABLES {server.name('shop')}.payments WRITE")
        yield
    finally:
        holder.close()


@contextmanager
def once_it_waits(server: Scratch, act: Callable[[], object]) -> Iterator[None]:
    """Call `act` in another thread as soon as the account's query is under way."""
    user = server.account("ro").user
    seen: list[bool] = []

    def watch() -> None:
        seen.append(server.wait_for_processes(user, working=True))
        act()

    watcher = threading.Thread(target=watch)
    watcher.start()
    try:
        yield
    finally:
        watcher.join()
    assert seen == [True]


def kill(server: Scratch, what: str) -> None:
    user = server.account("ro").user
    for (number,) in server.execute(f"SELECT id FROM information_schema.processlist WHERE user = '{user}'"):
        server.execute(f"KILL {what} {number}")


@pytest.mark.mariadb
@pytest.mark.parametrize("what", ["QUERY", "CONNECTION"])
def test_a_query_that_is_killed_fails_and_the_run_goes_on(shop: World, server: Scratch, what: str) -> None:
    with locked(server), once_it_waits(server, lambda: kill(server, what)):
        flow = shop.ask(script(ASKS_MYSQL, says(CITES_MYSQL)), "--json")
    published = unproven(flow, code=3)
    assert published["fallback"]["type"] == "EVIDENCE_VALIDATION_FAILED"
    assert [call["error_code"] for call in flow.events("TOOL_INVOCATION")] == ["TOOL_EXECUTION_ERROR"]
    assert server.wait_for_processes(server.account("ro").user, working=False)
    works_again(shop)


@pytest.mark.mariadb
def test_a_query_that_waits_for_a_lock_is_given_up_in_time(shop: World, server: Scratch) -> None:
    shop.settings["mysql.data_sources.limits"] = {"timeout_s": 0.5}
    with locked(server):
        flow = shop.ask(script(ASKS_MYSQL, says(CITES_MYSQL)), "--json")
    assert unproven(flow, code=3)["duration_ms"] < 5_000
    assert server.wait_for_processes(server.account("ro").user, working=False)
    works_again(shop)


@pytest.mark.mariadb
def test_an_account_that_loses_its_rights_between_two_runs_is_a_failed_call(
    shop: World, server: Scratch
) -> None:
    works_again(shop)
    schema, user = server.name("shop"), server.account("ro").user
    server.execute(f"REVOKE SELECT ON {schema}.payments FROM '{user}'@'%'")
    flow = shop.ask(script(ASKS_MYSQL, says(CITES_MYSQL)), "--json")
    unproven(flow, code=flow.code)
    assert flow.code in (3, 4)


@pytest.mark.parametrize("left", [0, 1_000, 100_000])
def test_a_log_file_that_is_truncated_while_it_is_read_costs_at_most_evidence(
    world: World, left: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    log = world.logs / "app.log"
    line = "2026-11-30 10:09:41.000 ERROR [payment-service] request timed out after 30000ms\n"
    with log.open("a") as more:
        more.write(line * 20_000)
    check, reached = Run.check_active, [0]

    def truncating(run: Run) -> None:
        check(run)
        if run.budget.tool_calls:
            reached[0] += 1
            if reached[0] == 4:
                os.truncate(log, left)

    with monkeypatch.context() as patch:
        patch.setattr(Run, "check_active", truncating)
        flow = world.ask(diagnosis(), "--json")
    assert reached[0] > 4
    assert flow.code in (0, 3), flow.err
    assert "Traceback" not in flow.err
    balanced(flow)


@pytest.mark.parametrize("reason", [CancelReason.USER_REQUESTED, CancelReason.DEADLINE_EXCEEDED])
def test_a_run_that_ends_while_a_log_is_read_publishes_nothing(
    world: World, reason: CancelReason, monkeypatch: pytest.MonkeyPatch
) -> None:
    check, reached = Run.check_active, [0]

    def ending(run: Run) -> None:
        if run.budget.tool_calls:
            reached[0] += 1
            if reached[0] == 3:
                run.cancel(reason)
        check(run)

    with monkeypatch.context() as patch:
        patch.setattr(Run, "check_active", ending)
        flow = world.ask(script(asks_logs(), says(draft())), "--json")
    published = balanced(flow)
    assert published["release_outcome"] in ("CANCELLED", "FAILED")
    assert CONCLUSION not in flow.out
    works_again(world)
