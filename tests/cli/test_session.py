"""`session list|show` over a real archive."""

from __future__ import annotations

from contextlib import closing
from datetime import timedelta
from pathlib import Path

import pytest

from superbiz_cli.adapters.sql_audit.archive import open_archive
from superbiz_cli.bootstrap.run_ids import AUDIT_FILE
from tests.support.audit import BEGAN, write_run
from tests.support.results import fallback_result, result
from tests.support.run_cli import run_cli


def record(home: Path, *runs: tuple[str, str, str], owner: str = "ann") -> None:
    """Write runs as (run id, session, "released" or "fallback"), a minute apart."""
    home.mkdir(exist_ok=True)
    with closing(open_archive(home / AUDIT_FILE, redact=str, owner=owner)) as archive:
        for minute, (run_id, session, kind) in enumerate(runs):
            outcome = (result if kind == "released" else fallback_result)(run_id, session)
            started = BEGAN + timedelta(minutes=minute)
            write_run(
                archive, run_id, session, outcome=outcome, query=f"question {run_id}", started_at=started
            )


@pytest.fixture
def home(superbiz_home: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("LOGNAME", "ann")
    record(
        superbiz_home,
        ("run1", "shop", "released"),
        ("run2", "bank", "fallback"),
        ("run3", "shop", "fallback"),
    )
    return superbiz_home


def test_sessions_are_listed_by_their_last_use(home: Path) -> None:
    rows = run_cli("session", "list", "--json").json()
    assert [(row["session_id"], row["runs"], row["last_run"]["run_id"]) for row in rows] == [
        ("shop", 2, "run3"),
        ("bank", 1, "run2"),
    ]
    header, first, _ = run_cli("session", "list").out.splitlines()
    assert header.split() == ["SESSION", "LAST", "USED", "RUNS", "OUTCOME", "LAST", "QUESTION"]
    assert first.endswith("FALLBACK  question run3")


def test_the_owner_is_shown_when_there_are_several(home: Path) -> None:
    record(home, ("run9", "other", "released"), owner="bob")
    assert "OWNER" in run_cli("session", "list").out.splitlines()[0]


def test_a_session_shows_its_runs_and_what_the_next_question_will_know(home: Path) -> None:
    shown = run_cli("session", "show", "shop", "--json").json()
    assert [run["run_id"] for run in shown["runs"]] == ["run3", "run1"]
    assert shown["memory"]["previous_turn"]["query"] == "question run1"
    assert shown["memory"]["previous_turn"]["conclusion"] == "The pool is exhausted."
    assert [entry["query"] for entry in shown["memory"]["recent"]] == ["question run1", "question run3"]
    text = run_cli("session", "show", "shop").out
    assert "session shop   2 runs" in text
    assert "Found: The pool is exhausted." in text


def test_a_session_without_a_released_diagnosis_is_said_to_know_nothing(home: Path) -> None:
    assert (
        "Nothing: no diagnosis of this session has been released." in run_cli("session", "show", "bank").out
    )


def test_without_an_id_the_session_that_this_person_used_last_is_shown(
    home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert run_cli("session", "show", "--json").json()["session"]["session_id"] == "shop"
    monkeypatch.setenv("LOGNAME", "bob")
    assert run_cli("session", "show").code == 2


def test_an_unknown_session_is_refused(home: Path) -> None:
    done = run_cli("session", "show", "nothing", "--json")
    assert (done.code, done.json()["error"]["code"]) == (2, "NOT_FOUND")


def test_other_formats_hold_the_same_runs(home: Path) -> None:
    assert [row["run_id"] for row in run_cli("session", "show", "shop", "--ndjson").ndjson()] == [
        "run3",
        "run1",
    ]
    assert run_cli("session", "show", "shop", "--format", "markdown").out.startswith("## Session shop\n")


def test_a_cut_list_names_the_flag_that_lifts_the_limit(home: Path) -> None:
    for command in (("session", "list", "-n", "1"), ("session", "show", "shop", "-n", "1")):
        assert "--limit -1" in run_cli(*command).err


def test_looking_creates_nothing(superbiz_home: Path) -> None:
    assert run_cli("session", "list", "--json").json() == []
    assert run_cli("session", "show").code == 2
    assert not superbiz_home.exists()
