"""`superbiz mysql` and `doctor` on a server: a fitting account suffices, a mighty one changes nothing."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from tests.support.flow_world import toml_section
from tests.support.mysql_scratch import Scratch, create_given_schema, scratch_server
from tests.support.run_cli import Completed, run_cli
from tests.support.sql_lines import sql_folder, sql_lines

pytestmark = pytest.mark.mariadb

VARIABLE = "SHOP_PASSWORD"
GRANTED = re.compile(r"GRANT SELECT \(([^)]*)\) ON `[^`]*`\.`([^`]*)` TO ")


@dataclass(frozen=True)
class Shop:
    """The given schema on a server, and a configuration for any account of it."""

    server: Scratch
    schema: str
    given: dict[str, Any]

    @property
    def allowed(self) -> dict[str, list[str]]:
        [tables] = self.given["allowed"].values()
        return dict(tables)

    def config(self, folder: Path, user: str, **changes: Any) -> Path:
        at = self.server.root
        url = f"mysql://{user}@{at.host}:{at.port}/{self.schema}"
        source = {"id": "shop", "url": url, "password_env": VARIABLE}
        source |= {"default_schema": self.schema, **changes}
        sections = {
            "[mysql.data_sources]": source,
            f"mysql.data_sources.allowed.{self.schema}": self.allowed,
            "mysql.data_sources.limits": self.given["limits"],
        }
        path = folder / "shop.toml"
        path.write_text("\n".join(toml_section(name, values) for name, values in sections.items()))
        return path

    def as_written(self, sql: str) -> str:
        return sql.replace("shop.", f"{self.schema}.").replace("`shop`", f"`{self.schema}`")

    def query(self, config: Path, line: dict[str, Any]) -> Completed:
        params = json.dumps(line["params"])
        sql = self.as_written(line["sql"])
        return mysql(config, "query", "shop", "--params", params, "--json", "--", sql)


@pytest.fixture(scope="module")
def shop() -> Iterator[Shop]:
    folder = sql_folder()
    given = json.loads((folder / "datasource.json").read_text("utf-8"))
    with scratch_server("cmd") as server:
        create_given_schema(server)
        yield Shop(server, server.name("shop"), given)


@pytest.fixture
def fitting(shop: Shop, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A configuration for an account that was made of nothing but the printed statements."""
    account = shop.server.create_account("fitting")
    monkeypatch.setenv(VARIABLE, account.password)
    config = shop.config(tmp_path, account.user)
    printed = mysql(config, "grants", "shop", "--user", account.user)
    assert printed.code == 0
    shop.server.execute(*printed.out.splitlines())
    return config


@pytest.fixture
def mighty(shop: Shop, tmp_path: Path) -> Path:
    """A configuration for an account that may do everything."""
    at = shop.server.root
    config = shop.config(tmp_path, at.user)
    text = config.read_text()
    config.write_text(text if at.password else text.replace(f'password_env = "{VARIABLE}"\n', ""))
    return config


def mysql(config: Path, *arguments: str) -> Completed:
    return run_cli("mysql", "--config", str(config), *arguments)


def examined(config: Path) -> list[dict[str, Any]]:
    rows = run_cli("doctor", "--json", "--config", str(config)).json()
    return [row for row in rows if row["name"] == "mysql shop"]


def test_the_printed_grants_name_the_allowed_columns_and_no_others(fitting: Path, shop: Shop) -> None:
    printed = mysql(fitting, "grants", "shop").out
    granted = {table: columns.replace("`", "").split(", ") for columns, table in GRANTED.findall(printed)}
    assert granted == shop.allowed
    assert len(printed.splitlines()) == len(shop.allowed)


def test_the_printed_grants_are_enough_for_every_given_benign_query(fitting: Path, shop: Shop) -> None:
    for line in sql_lines("benign.jsonl"):
        done = shop.query(fitting, line)
        assert done.code == 0, (line["id"], done.err)
        assert done.json()["returned_count"] >= line["rows_at_least"], line["id"]


def test_a_mighty_account_changes_nothing_whatever_is_asked(mighty: Path, shop: Shop) -> None:
    asked = [line for file in ("attacks.jsonl", "benign.jsonl", "edge.jsonl") for line in sql_lines(file)]
    named = {Path(path) for line in asked for path in re.findall(r"'(/[^']+)'", line["sql"])}

    def picture() -> object:
        return shop.server.state(), {path: path.exists() and path.stat().st_mtime_ns for path in named}

    before = picture()
    codes = [shop.query(mighty, line).code for line in asked]

    assert picture() == before
    refused = [line["id"] for line, code in zip(asked, codes, strict=True) if code == 2]
    assert {line["id"] for line in sql_lines("attacks.jsonl")} <= set(refused)
    assert set(codes) == {0, 2, 4}
    assert named


def test_a_check_says_what_a_query_does_and_connects_to_nothing(shop: Shop, tmp_path: Path) -> None:
    config = shop.config(tmp_path, "nobody", url="mysql://nobody@127.0.0.1:9/" + shop.schema)
    for line in sql_lines("benign.jsonl"):
        arguments = ["--params", json.dumps(line["params"]), "--json", "--", shop.as_written(line["sql"])]
        done = mysql(config, "check", "shop", *arguments)
        assert (done.code, done.json()["accepted"]) == (0, True)


def test_a_schema_shows_what_the_account_may_see(fitting: Path, shop: Shop) -> None:
    rows = mysql(fitting, "schema", "shop", "--json").json()
    seen: dict[str, list[str]] = {}
    for row in rows:
        seen.setdefault(row["table"], []).append(row["column"])
    assert seen == dict(sorted(shop.allowed.items()))


def test_a_schema_of_a_mighty_account_leaves_secret_names_out(mighty: Path, shop: Shop) -> None:
    skeleton = mysql(mighty, "schema", "shop").out
    assert f"[mysql.data_sources.allowed.{shop.schema}]" in skeleton
    assert "# users: left out password_hash, api_token" in skeleton
    [users] = [line for line in skeleton.splitlines() if line.startswith("users = ")]
    assert json.loads(users.removeprefix("users = ")) == ["id", "name", "level", "email"]


def test_doctor_finds_nothing_amiss_with_a_fitting_account(fitting: Path) -> None:
    [row] = examined(fitting)
    assert row["status"] == "ok"
    assert row["detail"].endswith(
        "3 table(s) allowed · the account reads their columns and can do nothing else"
    )


def test_doctor_warns_of_everything_that_a_mighty_account_may_do(mighty: Path) -> None:
    rows = examined(mighty)
    told = "\n".join(row["detail"] for row in rows)
    assert rows[0]["status"] == "ok"
    assert "can do nothing else" not in told
    assert {row["status"] for row in rows[1:]} == {"warn"}
    assert "the account may read *.*" in told
    assert "the account has ALL PRIVILEGES on *.*" in told
    assert all("superbiz mysql grants shop" in row["fix"] for row in rows[1:])


def test_doctor_and_a_query_name_a_column_that_the_account_cannot_read(fitting: Path, shop: Shop) -> None:
    account = shop.server.account("fitting").user
    shop.server.execute(f"REVOKE SELECT (`level`) ON {shop.schema}.users FROM '{account}'@'%'")
    [_, row] = examined(fitting)
    assert row["detail"] == f"the account cannot read {shop.schema}.users.level"
    done = mysql(fitting, "query", "shop", "SELECT level FROM users")
    assert done.code == 4
    assert "access_denied" in done.err
    assert "superbiz mysql grants" in done.err


@pytest.mark.parametrize(
    ("changes", "password", "word", "remedy"),
    [
        ({"url": "mysql://ro@127.0.0.1:9/shop"}, "x", "data_source_unavailable", "check the address"),
        ({}, "wrong", "access_denied", "check user and password_env"),
        ({"url": "mysql://ro@127.0.0.1/s?tls=required"}, "x", "encryption_failed", "check tls"),
    ],
)
def test_a_server_that_cannot_be_used_is_told_in_one_sentence_with_a_remedy(
    shop: Shop,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    changes: dict[str, Any],
    password: str,
    word: str,
    remedy: str,
) -> None:
    if "tls" in str(changes) and shop.server.execute("SHOW VARIABLES LIKE 'have_ssl'")[0][1] == "YES":
        pytest.skip("this server encrypts")
    monkeypatch.setenv(VARIABLE, password)
    config = shop.config(tmp_path, shop.server.account("ro").user, **changes)

    for command in (("query", "shop", "SELECT id FROM orders"), ("schema", "shop")):
        done = mysql(config, *command, "--json")
        error = done.json()["error"]
        assert (done.code, error["code"]) == (4, "SOURCE_UNAVAILABLE")
        assert error["message"].endswith(f"({word})")
        assert error["hint"].startswith(remedy)
    [row] = examined(config)
    assert row["status"] == "warn"
    assert row["detail"].endswith(f"({word})")
    assert row["fix"].startswith(remedy)


def test_a_password_variable_that_is_not_set_is_named(shop: Shop, tmp_path: Path) -> None:
    config = shop.config(tmp_path, "ro")
    for command in (("query", "shop", "SELECT id FROM orders"), ("schema", "shop")):
        done = mysql(config, *command)
        assert done.code == 2
        assert VARIABLE in done.err
        assert f"hint: export {VARIABLE}=..." in done.err
    [row] = examined(config)
    assert VARIABLE in row["detail"]
