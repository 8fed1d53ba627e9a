"""Long output goes through the user's pager, in a terminal only; closing it early is a success."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.support.fake_bootstrap import FakeRoot, installed, stored_run
from tests.support.run_cli import Completed, run_cli


def show(*flags: str, terminal: bool = True) -> Completed:
    with installed(FakeRoot(runs=[stored_run()])):
        return run_cli("trace", "show", *flags, terminal=terminal)


@pytest.fixture(autouse=True)
def _small_terminal(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("LINES", "10")
    monkeypatch.setenv("COLUMNS", "80")
    monkeypatch.setenv("NO_COLOR", "1")
    monkeypatch.delenv("CI", raising=False)


def test_the_pager_gets_what_stdout_would_get(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    target = tmp_path / "paged"
    monkeypatch.setenv("SUPERBIZ_PAGER", f"sh -c 'cat > {target}'")
    done = show()
    assert (done.code, done.out) == (0, "")
    assert target.read_text(encoding="utf-8") == show("--no-pager").out


@pytest.mark.parametrize("pager", ["true", "false"])
def test_a_pager_that_is_closed_early_is_a_success(monkeypatch: pytest.MonkeyPatch, pager: str) -> None:
    monkeypatch.setenv("SUPERBIZ_PAGER", pager)
    assert show().code == 0


@pytest.mark.parametrize("pager", ["no-such-program", "cat", "'unbalanced"])
def test_without_a_usable_pager_stdout_gets_the_text(monkeypatch: pytest.MonkeyPatch, pager: str) -> None:
    monkeypatch.setenv("SUPERBIZ_PAGER", pager)
    assert "chain intact" in show().out


def test_the_setting_switches_the_pager_off(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SUPERBIZ_PAGER", "false")
    monkeypatch.setenv("SUPERBIZ_UI__PAGER", "never")
    assert "chain intact" in show().out


def test_a_pipe_is_never_paged(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SUPERBIZ_PAGER", "false")
    assert "chain intact" in show(terminal=False).out


def test_a_short_result_is_not_paged(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SUPERBIZ_PAGER", "false")
    monkeypatch.setenv("LINES", "200")
    assert "chain intact" in show().out
