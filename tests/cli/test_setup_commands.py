"""`config`, `doctor` and `demo`: what is set up, and how to begin."""

from __future__ import annotations

import stat
from pathlib import Path

import pytest

from superbiz_cli.bootstrap.port import Check, CheckStatus
from superbiz_cli.settings.keys import known_keys
from tests.support.fake_bootstrap import FakeRoot, installed
from tests.support.run_cli import run_cli

CANARY = "canary123"


def test_show_lists_every_setting_with_its_source(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "superbiz.toml").write_text("[run]\ndeadline_s = 9\n")
    monkeypatch.setenv("SUPERBIZ_RUN__MAX_TOOL_CALLS", "5")
    shown = run_cli("config", "show", "--json", folder=tmp_path).json()
    assert list(shown) == list(known_keys())
    assert shown["run.deadline_s"] == {"value": 9.0, "source": "./superbiz.toml", "layer": "project file"}
    assert shown["run.max_tool_calls"]["source"] == "SUPERBIZ_RUN__MAX_TOOL_CALLS"
    assert shown["run.max_model_calls"]["source"] == "config/default.toml"
    assert shown["model.agent.api_key_env"] == {"value": None, "source": None, "layer": None}


def test_show_is_one_line_for_each_setting_in_text() -> None:
    assert len(run_cli("config", "show").out.splitlines()) == len(known_keys()) + 1


def test_no_secret_is_shown_anywhere(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", CANARY)
    monkeypatch.setenv("REDIS_URL", f"redis://:{CANARY}@127.0.0.1/0")
    (tmp_path / "superbiz.toml").write_text(
        "[model.agent]\nname = 'openai/x'\napi_key_env = 'OPENAI_API_KEY'\n"
        "[canonical]\nurl_env = 'REDIS_URL'\n"
    )
    with installed(FakeRoot()):
        for arguments in (
            ["config", "show"],
            ["config", "show", "--json"],
            ["doctor"],
            ["doctor", "--debug"],
        ):
            done = run_cli(*arguments, folder=tmp_path)
            assert CANARY not in done.out + done.err


def test_path_says_what_exists(superbiz_home: Path) -> None:
    rows = {row["what"]: row for row in run_cli("config", "path", "--json").json()}
    assert rows["state"] == {"what": "state", "path": str(superbiz_home), "exists": False}
    assert rows["defaults"]["exists"] is True


def test_init_writes_a_private_file_that_is_accepted(tmp_path: Path) -> None:
    done = run_cli("config", "init")
    target = tmp_path / "superbiz-config" / "config.toml"
    assert (done.code, done.out) == (0, "")
    assert str(target) in done.err
    assert stat.S_IMODE(target.stat().st_mode) == 0o600
    assert stat.S_IMODE(target.parent.stat().st_mode) == 0o700
    assert run_cli("config", "show").code == 0


def test_init_replaces_nothing_unasked(tmp_path: Path) -> None:
    target = tmp_path / "mine.toml"
    target.write_text("mine")
    refused = run_cli("config", "init", str(target))
    assert (refused.code, target.read_text()) == (2, "mine")
    assert "--force" in refused.err
    assert run_cli("config", "init", str(target), "--force").code == 0
    assert "[[logs.sources]]" in target.read_text()


def test_init_into_a_folder_that_does_not_let_it_is_an_error_with_a_hint(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    done = run_cli("config", "init", str(tmp_path / "file" / "x.toml"))
    assert done.code == 1
    assert "cannot be written" in done.err


CHECKS = (
    Check("home", CheckStatus.OK, "writable"),
    Check("logs", CheckStatus.WARN, "no source", "add [[logs.sources]]"),
)
BROKEN = (*CHECKS, Check("model", CheckStatus.FAIL, "does not answer", "set OPENAI_API_KEY"))


@pytest.mark.parametrize(("checks", "code"), [(CHECKS, 0), (BROKEN, 4)])
def test_doctor_ends_with_4_only_if_a_diagnosis_cannot_work(checks: tuple[Check, ...], code: int) -> None:
    with installed(FakeRoot(checks=checks)):
        done = run_cli("doctor")
        machine = run_cli("doctor", "--json")
    assert done.code == machine.code == code
    assert "→ add [[logs.sources]]" in done.out
    assert [row["status"] for row in machine.json()] == [check.status.value for check in checks]


def test_demo_diagnoses_the_prepared_incident() -> None:
    root = FakeRoot()
    with installed(root):
        done = run_cli("demo", "--json", "--timeout", "7")
    assert done.code == 0
    assert done.json()["query"] == root.requests[0].query == "payment service times out"
    assert root.settings[0].run.deadline_s == 7
    assert "the bundled incident" in done.err
