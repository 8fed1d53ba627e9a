"""No secret that the settings refer to gets out, whatever it looks like and whoever repeats it."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager
from typing import Any

import pytest

from superbiz_cli.bootstrap.registered_secrets import redactor_for, registered_secrets
from superbiz_cli.settings import Settings
from superbiz_cli.settings.load import load
from tests.support.flow_books import balanced
from tests.support.flow_turns import Script, asks_logs, calls, diagnosis, draft, item, says, script
from tests.support.flow_world import World
from tests.support.hostile_play import use_endpoint
from tests.support.hostile_server import ScriptServer
from tests.support.run_cli import run_cli

# Nothing about them tells that they are secrets.
KEY, PASSWORD, TOKEN = "wistfulharbourlantern", "oranges and lemons", "copper-kettle-song"
VARIABLES = {
    "SUPERBIZ_TEST_KEY": KEY,
    "SUPERBIZ_TEST_PASSWORD": PASSWORD,
    "SUPERBIZ_TEST_REDIS": f"redis://:{TOKEN}@127.0.0.1:6379/0",
    "OPENAI_API_KEY": "the usual variable of it",
}
CONFIGURED: dict[str, Any] = {
    "[mysql.data_sources]": {
        "id": "shop",
        "url": "mysql://ro@127.0.0.1:9/shop",
        "password_env": "SUPERBIZ_TEST_PASSWORD",
        "allowed": {},
    }
}
LINES = (
    f"2026-11-30 10:05:00.000 ERROR [payment-service] request timed out, asked with {KEY} once",
    f"2026-11-30 10:05:01.000 ERROR [payment-service] timed out: {PASSWORD}!",
    f"2026-11-30 10:05:02.000 ERROR [payment-service] timed out ({TOKEN})",
)


@pytest.fixture(autouse=True)
def _environment(monkeypatch: pytest.MonkeyPatch) -> None:
    for name, value in VARIABLES.items():
        monkeypatch.setenv(name, value)


@pytest.fixture
def guarded(world: World) -> World:
    """A world that refers to the secrets, with logs that hold them."""
    world.settings["canonical"] = {"backend": "embedded", "url_env": "SUPERBIZ_TEST_REDIS"}
    world.settings["knowledge"] = {"token_env": "SUPERBIZ_TEST_PASSWORD"}
    with (world.logs / "app.log").open("a", encoding="utf-8") as log:
        log.write("\n".join(LINES) + "\n")
    return world


@contextmanager
def endpoint(world: World, played: Script) -> Iterator[ScriptServer]:
    with ScriptServer(played) as server:
        use_endpoint(world, server.url)
        yield server


def everything(world: World) -> str:
    """All rows of the audit database, the restricted texts of the model included."""
    with closing(sqlite3.connect(world.audit_file)) as connection:
        tables = [row[0] for row in connection.execute("SELECT name FROM sqlite_master WHERE type = 'table'")]
        rows = {table: connection.execute(f"SELECT * FROM {table}").fetchall() for table in tables}
    return json.dumps(rows, ensure_ascii=False, default=str)


def assert_hidden(place: str, text: str) -> None:
    for secret in (KEY, PASSWORD, TOKEN, VARIABLES["OPENAI_API_KEY"]):
        assert secret not in text, (place, secret)


def test_secrets_in_logs_and_in_the_question_reach_nobody(guarded: World) -> None:
    found = script(asks_logs(), says(draft(item("payment-service requests timed out"), conclusion=None)))
    question = f"payment times out; is {PASSWORD} or {KEY} wrong?"
    with endpoint(guarded, found) as server:
        flow = guarded.ask(None, "--json", query=question)
    balanced(flow)
    assert len(server.requests) >= 3
    assert "asked with [REDACTED_SECRET" in server.requests[-1].text
    for request in server.requests:
        assert_hidden("request", request.text)
    assert_hidden("stdout", flow.out)
    assert_hidden("stderr", flow.err)
    assert_hidden("audit", everything(guarded))
    config = ("--config", str(guarded.config))
    for command in (
        ("logs", "search", "timed out", "--at", "2026-11-30T10:15:00+08:00"),
        ("trace", "show", "--details", "--reasoning", "--result"),
        ("trace", "export", flow.document["run_id"], "--reasoning"),
        ("session", "show", flow.document["session_id"]),
    ):
        completed = run_cli(*command, *config)
        assert completed.code == 0, command
        assert "REDACTED" in completed.out or command[0] == "session", command
        assert_hidden(" ".join(command), completed.out + completed.err)


def test_an_endpoint_that_repeats_its_key_gets_it_nowhere(guarded: World) -> None:
    """In a draft, a tool call and its name, the finish reason and the judge's reason."""
    limits = {"checked_scope": KEY, "missing_info": [f"ask {KEY}"], "caveats": [KEY]}
    odd_call = calls({"id": KEY, "name": KEY, "arguments": json.dumps({"input": KEY})}, finish_reason=KEY)
    echo = says(draft(limitations=limits), reasoning_content=KEY)
    judge = says({"verdict": "SUPPORTED", "reason": f"because of {KEY}"})
    played = script(odd_call, asks_logs(), echo, semantic=[judge])
    with endpoint(guarded, played):
        flow = guarded.ask(None, "--json")
    published = balanced(flow)
    assert published["release_outcome"] == "SUCCESS"
    assert published["report"]["limitations"]["missing_info"] == ["ask [REDACTED_API_KEY]"]
    assert_hidden("stdout", flow.out)
    assert_hidden("stderr", flow.err)
    assert_hidden("audit", everything(guarded))


def test_reasoning_is_shown_only_when_it_is_asked_for_and_kept_only_when_it_is_wanted(world: World) -> None:
    thought = "let me look at the pool first"
    first = world.ask(script(asks_logs(content=thought), says(draft())))
    config = ("--config", str(world.config))
    run_id = first.replay.run.summary.run_id
    for plain in (
        ("trace", "show"),
        ("trace", "show", "--json"),
        ("trace", "show", "--details", "--result"),
        ("trace", "export", run_id),
    ):
        completed = run_cli(*plain, *config)
        assert completed.code == 0
        assert thought not in completed.out
    assert thought in run_cli("trace", "show", "--reasoning", *config).out
    assert thought in everything(world)

    world.settings["audit"] = {"reasoning": False}
    world.ask(script(asks_logs(content="a second thought"), says(draft())))
    assert "a second thought" not in everything(world)


def test_no_raw_line_of_a_log_stands_in_the_reasoning_audit(world: World) -> None:
    """What the model quotes, it has from a redacted observation; what it adds is redacted again."""
    quoted = "login failed password=Hunter2Secret! from 10.1.2.3"
    world.ask(diagnosis(draft(item(quoted), conclusion=None)))
    kept = everything(world)
    assert "Hunter2Secret!" not in kept
    assert "10.1.2.3" not in kept


def settings_of(world: World, environ: dict[str, str]) -> Settings:
    return load(config_file=world.config, environ=environ | {"HOME": str(world.folder)}).settings


def test_the_values_of_all_variables_that_a_setting_names_are_registered(guarded: World) -> None:
    use_endpoint(guarded, "http://127.0.0.1:9")
    guarded.settings["mysql"] = {}
    settings = settings_of(guarded, {})
    found = registered_secrets(settings, environ=VARIABLES | {"OTHER": "not a setting"})
    assert set(found) == {*VARIABLES.values(), TOKEN}
    assert list(found) == sorted(found, key=len, reverse=True)
    short = registered_secrets(settings, environ={"SUPERBIZ_TEST_KEY": "abc", "SUPERBIZ_TEST_PASSWORD": ""})
    assert short == ()
    odd = registered_secrets(settings, environ={"SUPERBIZ_TEST_KEY": "http://[broken"})
    assert odd == ("http://[broken",)


def test_a_password_of_an_address_is_known_in_both_spellings(guarded: World) -> None:
    settings = settings_of(guarded, {})
    address = {"SUPERBIZ_TEST_REDIS": "redis://:p%40ss%2Fword@cache:6379/0"}
    redacted = redactor_for(settings, rules=(), environ=address).redact("p@ss/word or p%40ss%2Fword")
    assert redacted == "[REDACTED_SECRET] or [REDACTED_SECRET#2]"
    assert redactor_for(settings, rules=(), environ={}).redact("p@ss/word") == "p@ss/word"
