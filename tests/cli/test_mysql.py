"""`superbiz mysql`: verdicts without a connection, results as a model gets them, help with privileges."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tests.support.flow_world import toml_section
from tests.support.run_cli import Completed, run_cli
from tests.support.shared_data import shared_data, shared_lines
from tests.support.shop_database import SECRET, shop_sections, write_shop

COUNT = "SELECT status, COUNT(*) AS n FROM payments GROUP BY status ORDER BY status"


@pytest.fixture
def shop(tmp_path: Path) -> Path:
    return configured(tmp_path, shop_sections(write_shop(tmp_path)))


def configured(folder: Path, sections: dict[str, dict[str, Any]]) -> Path:
    path = folder / "shop.toml"
    path.write_text("\n".join(toml_section(name, values) for name, values in sections.items()))
    return path


def mysql(config: Path, *arguments: str, stdin: bytes | None = None) -> Completed:
    return run_cli("mysql", *arguments, "--config", str(config), stdin=stdin)


def test_an_accepted_query_is_shown_as_what_would_be_run(shop: Path) -> None:
    asked = ("check", "shop-ro", "select id from payments where status = ?", "--params", '["PAID"]')
    done = mysql(shop, *asked)
    assert (done.code, done.err) == (0, "")
    canonical = "SELECT `payments`.`id` FROM `shop`.`payments` WHERE `payments`.`status` = ?"
    assert done.out == f"accepted  {canonical}\n"
    assert mysql(shop, *asked, "--json").json() == {
        "accepted": True,
        "category": None,
        "canonical": canonical,
    }


def test_a_refused_query_ends_with_1_and_one_word(shop: Path) -> None:
    done = mysql(shop, "check", "shop-ro", "SELECT id FROM accounts")
    assert (done.code, done.out) == (1, "refused  table_not_allowed\n")


def test_a_check_needs_neither_a_server_nor_its_credentials(tmp_path: Path) -> None:
    sections = shop_sections(tmp_path / "absent")
    sections["[mysql.data_sources]"] = {
        "id": "shop-ro",
        "url_env": "NOT_SET_ANYWHERE",
        "password_env": "NOT_SET_EITHER",
    }
    config = configured(tmp_path, sections)
    assert mysql(config, "check", "shop-ro", "SELECT id FROM payments").code == 0
    missing = mysql(config, "query", "shop-ro", "SELECT id FROM payments", "--json")
    assert missing.json()["error"]["code"] == "CREDENTIAL_MISSING"


LINES = [
    {"id": "a", "sql": "SELECT id FROM payments", "params": []},
    {"id": "b", "sql": "SELECT * FROM payments"},
    {"id": "c", "sql": "SELECT id FROM payments WHERE id = ?", "params": [[1]]},
    {"id": "d", "sql": None},
    "no object",
]


def test_a_batch_is_one_verdict_a_line_whatever_the_lines_hold(shop: Path, tmp_path: Path) -> None:
    batch = tmp_path / "queries.jsonl"
    batch.write_text("\n".join(json.dumps(line) for line in LINES) + "\n\n{broken\n")
    done = mysql(shop, "check", "shop-ro", "--batch", str(batch), "--json")
    verdicts = done.ndjson()
    assert done.code == 0
    assert [(verdict["id"], verdict["category"]) for verdict in verdicts] == [
        ("a", None),
        ("b", "star_not_allowed"),
        ("c", "parameter_type"),
        ("d", "invalid_arguments"),
        (None, "invalid_arguments"),
        (None, "invalid_arguments"),
    ]
    assert all(list(verdict) == ["id", "accepted", "category", "canonical"] for verdict in verdicts)
    piped = mysql(shop, "check", "shop-ro", "--batch", "-", "--json", stdin=batch.read_bytes())
    assert piped.out == done.out


@pytest.mark.parametrize(("file", "accepted"), [("attacks.jsonl", False), ("benign.jsonl", True)])
def test_the_given_queries_get_their_verdicts(tmp_path: Path, file: str, accepted: bool) -> None:
    given = json.loads((shared_data("sql") / "datasource.json").read_text())
    config = configured(
        tmp_path,
        {
            "[mysql.data_sources]": {
                "id": given["id"],
                "url": "mysql://ro@127.0.0.1/",
                "default_schema": given["default_schema"],
            },
            **{f"mysql.data_sources.allowed.{name}": tables for name, tables in given["allowed"].items()},
        },
    )
    batch = shared_data("sql") / file
    verdicts = mysql(config, "check", given["id"], "--batch", str(batch), "--json").ndjson()
    assert [verdict["id"] for verdict in verdicts] == [line["id"] for line in shared_lines("sql", file)]
    assert {verdict["accepted"] for verdict in verdicts} == {accepted}


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (["check", "shop-ro"], "no query was given"),
        (["check", "shop-ro", "SELECT id FROM payments", "--batch", "x"], "exclude each other"),
        (["check", "shop-ro", "SELECT id FROM payments", "--params", "{}"], "not a JSON array"),
        (["check", "shop-ro", "--batch", "nothing-here.jsonl"], "cannot be read"),
        (["check", "other", "SELECT id FROM payments"], "there is no data source 'other'"),
    ],
)
def test_a_wrong_command_line_says_what_is_wrong(shop: Path, arguments: list[str], says: str) -> None:
    done = mysql(shop, *arguments)
    assert done.code == 2
    assert says in done.err
    assert "hint: " in done.err


def test_a_query_prints_its_rows_for_people_and_the_tool_result_for_machines(shop: Path) -> None:
    assert mysql(shop, "query", "shop-ro", COUNT).out.splitlines() == ["status  n", "PAID    1", "STUCK   2"]
    result = mysql(shop, "query", "shop-ro", COUNT, "--json").json()
    assert result["rows"] == [["PAID", 1], ["STUCK", 2]]
    assert result["evidence_status"] == "EVIDENCE_FOUND"
    assert [column["source"] for column in result["columns"]] == ["shop.payments.status", "COUNT(*)"]
    assert mysql(shop, "query", "shop-ro", COUNT, "--ndjson").ndjson()[1] == {"status": "STUCK", "n": 2}


def test_a_result_is_redacted(shop: Path) -> None:
    done = mysql(shop, "query", "shop-ro", "SELECT id, note FROM payments ORDER BY id")
    assert SECRET not in done.out
    assert "password=[REDACTED_PASSWORD]" in done.out
    assert done.out.splitlines()[-1].split() == ["3", "NULL"]


def test_rows_that_were_left_out_are_mentioned(shop: Path) -> None:
    shop.write_text(shop.read_text() + "\n[mysql.data_sources.limits]\nmax_rows = 2\n")
    done = mysql(shop, "query", "shop-ro", "SELECT id FROM payments ORDER BY id")
    assert done.out.splitlines() == ["id", "1", "2"]
    assert done.err == "note: only the first 2 rows; there are more\n"


def test_a_query_that_is_refused_or_fails_is_told_by_its_word(shop: Path, tmp_path: Path) -> None:
    refused = mysql(shop, "query", "shop-ro", "SELECT * FROM payments")
    assert (refused.code, refused.out) == (2, "")
    assert "star_not_allowed" in refused.err
    (tmp_path / "shop.sqlite").unlink()
    failed = mysql(shop, "query", "shop-ro", COUNT)
    assert failed.code == 4
    assert "data_source_unavailable" in failed.err


def test_grants_name_exactly_the_allowed_columns(tmp_path: Path) -> None:
    config = configured(tmp_path, shop_sections(tmp_path / "absent", "id", "api_token"))
    done = mysql(config, "grants", "shop-ro", "--user", "o'neil", "--host", "10.0.0.5")
    assert done.out == "GRANT SELECT (`id`, `api_token`) ON `shop`.`payments` TO 'o''neil'@'10.0.0.5';\n"
    assert "shop.payments.api_token is allow-listed although" in done.err


def test_a_schema_is_an_allow_list_without_secrets_that_is_accepted(shop: Path, tmp_path: Path) -> None:
    done = mysql(shop, "schema", "shop-ro")
    assert done.code == 0
    assert 'payments = ["id", "status", "note"]' in done.out
    assert "left out api_token" in done.out
    again = tmp_path / "again.toml"
    again.write_text(shop.read_text().split("[mysql.data_sources.allowed")[0] + done.out)
    assert mysql(again, "check", "shop-ro", "SELECT note FROM payments").code == 0
    assert {"schema": "shop", "table": "accounts", "column": "id", "type": "integer"} in mysql(
        shop, "schema", "shop-ro", "--json"
    ).json()


def test_doctor_tells_that_a_database_answers_and_what_is_amiss(tmp_path: Path) -> None:
    sections = shop_sections(write_shop(tmp_path), "id", "absent", "api_token")
    done = run_cli("doctor", "--json", "--config", str(configured(tmp_path, sections)))
    found = [(row["status"], row["detail"]) for row in done.json() if row["name"] == "mysql shop-ro"]
    assert found == [
        ("ok", "SQLite file answers · 1 table(s) allowed"),
        ("warn", "the file has no payments.absent"),
        ("warn", "shop.payments.api_token is allow-listed although its name says that it is secret"),
    ]


def test_doctor_warns_of_a_database_that_does_not_answer(tmp_path: Path) -> None:
    sections = shop_sections(tmp_path / "absent.sqlite")
    done = run_cli("doctor", "--json", "--config", str(configured(tmp_path, sections)))
    [row] = [row for row in done.json() if row["name"] == "mysql shop-ro"]
    assert (row["status"], row["detail"]) == (
        "warn",
        "the database does not answer at its address (data_source_unavailable)",
    )
    assert row["fix"].startswith("check the address")
    assert done.code == 0
