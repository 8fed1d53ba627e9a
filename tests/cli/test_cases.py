"""`feedback` and `case` over a real archive: what people say of runs, and what is kept of it."""

from __future__ import annotations

import json
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from superbiz_cli.adapters.sql_audit.archive import open_archive
from superbiz_cli.bootstrap.run_ids import AUDIT_FILE
from superbiz_cli.harness.contract.report import RunResult
from tests.support.audit import write_run
from tests.support.results import fallback_result, result
from tests.support.run_cli import Completed, run_cli

RUN = "run0000001"
ADD = ("case", "add", "--symptom", "kafka consumer lag grows", "--root-cause", "a poison message")


@pytest.fixture
def recorded(superbiz_home: Path) -> Path:
    """A home with one released diagnosis."""
    record(superbiz_home, result())
    return superbiz_home


def record(home: Path, *outcomes: RunResult) -> None:
    home.mkdir(exist_ok=True)
    with closing(open_archive(home / AUDIT_FILE, redact=str, owner="ann")) as archive:
        for outcome in outcomes:
            write_run(archive, outcome.run_id, outcome=outcome)


def said(*flags: str, run: str = RUN) -> dict[str, Any]:
    done = run_cli("feedback", run, "--json", *flags)
    assert done.code == 0, done.err
    [record] = done.json()
    return dict(record)


def cases() -> list[dict[str, Any]]:
    return list(run_cli("case", "list", "--json").json())


def test_a_helpful_diagnosis_becomes_a_case(recorded: Path) -> None:
    kept = said("--helpful", "--note", "seen twice")
    assert (kept["run_id"], kept["verdict"], kept["case"]) == (RUN, "HELPFUL", "added")
    [case] = cases()
    assert case["case_id"] == kept["case_id"]
    assert (case["root_cause"], case["note"], case["run_id"]) == ("The pool is exhausted.", "seen twice", RUN)


def test_a_second_word_of_the_same_run_replaces_its_case(recorded: Path) -> None:
    first = said("--helpful")
    second = said("--helpful", "--root-cause", "an index is missing", "--solution", "add it")
    assert (second["case_id"], second["case"]) == (first["case_id"], "replaced")
    [case] = cases()
    assert (case["root_cause"], case["solution"]) == ("an index is missing", "add it")


def test_wrong_removes_the_case_and_makes_none(recorded: Path) -> None:
    kept = said("--helpful")
    assert said("--wrong", "--root-cause", "DNS") == {
        "run_id": RUN,
        "verdict": "WRONG",
        "case_id": kept["case_id"],
        "case": "removed",
    }
    assert cases() == []
    assert said("--wrong")["case"] == "none"


def test_a_helpful_fallback_is_no_case_and_the_way_to_make_one_is_said(superbiz_home: Path) -> None:
    record(superbiz_home, fallback_result())
    done = run_cli("feedback", RUN, "--helpful", "--root-cause", "I know it")
    assert done.code == 0
    assert "superbiz case add" in done.err
    assert cases() == []


def test_the_beginning_of_a_run_id_suffices(recorded: Path) -> None:
    assert said("--helpful", run="run")["run_id"] == RUN


@pytest.mark.parametrize(
    ("arguments", "problem"),
    [
        ((RUN,), "say whether the run was right"),
        ((RUN, "--helpful", "--wrong"), "exclude each other"),
        (("none", "--helpful"), "there is no run 'none'"),
        ((), "missing argument"),
    ],
)
def test_unclear_feedback_is_refused_and_nothing_kept(
    recorded: Path, arguments: tuple[str, ...], problem: str
) -> None:
    done = run_cli("feedback", *arguments)
    assert (done.code, done.out) == (2, "")
    assert problem in done.err
    assert cases() == []


def test_a_case_can_be_added_without_a_run(superbiz_home: Path) -> None:
    done = run_cli(
        *ADD, "--service", "order-service", "--document", "kafka.md", "--solution", "skip it", "--json"
    )
    [added] = done.json()
    shown = run_cli("case", "show", added["case_id"], "--json").json()
    assert shown["symptoms"] == ["kafka consumer lag grows"]
    assert (shown["services"], shown["documents"]) == (["order-service"], ["kafka.md"])
    assert shown["run_id"] is None


def test_what_is_added_is_redacted(superbiz_home: Path) -> None:
    run_cli(
        "case",
        "add",
        "--symptom",
        "login fails password=Hunter2Secret!",
        "--root-cause",
        "token=abc123def456ghi",
    )
    text = json.dumps(cases())
    assert "Hunter2Secret" not in text
    assert "abc123def456ghi" not in text


@pytest.mark.parametrize(
    "flags", [("--symptom", " ", "--root-cause", "x"), ("--symptom", "x", "--root-cause", "")]
)
def test_an_empty_case_is_refused(superbiz_home: Path, flags: tuple[str, ...]) -> None:
    assert run_cli("case", "add", *flags).code == 2
    assert not superbiz_home.exists()


def test_similar_cases_are_listed_with_their_scores(superbiz_home: Path) -> None:
    run_cli(*ADD)
    [found] = run_cli("case", "list", "--like", "kafka 消费积压", "--json").json()
    assert found["root_cause"] == "a poison message"
    assert 0.45 <= found["score"] <= 1
    assert run_cli("case", "list", "--like", "certificate expired", "--json").json() == []


def test_a_case_is_shown_in_each_format(superbiz_home: Path) -> None:
    [added] = run_cli(*ADD, "--json").json()
    id_ = added["case_id"]
    assert run_cli("case", "show", id_).out.startswith(f"{id_}\n  reported    kafka consumer lag grows\n")
    assert run_cli("case", "show", id_, "--ndjson").ndjson()[0]["case_id"] == id_
    assert (
        "a poison message" in run_cli("case", "show", id_.removeprefix("case-"), "--format", "markdown").out
    )


def test_texts_of_a_case_cannot_steer_the_terminal(superbiz_home: Path) -> None:
    run_cli("case", "add", "--symptom", "disk full \x1b]0;pwned\x07", "--root-cause", "[red]x[/]\u202e")
    listed, shown = run_cli("case", "list").out, run_cli("case", "show", "case-").out
    for text in (listed, shown):
        assert not any(char in text for char in "\x1b\x07\u202e")
        assert "[red]x[/]" in text


def test_an_unknown_case_and_an_ambiguous_one_are_said(superbiz_home: Path) -> None:
    assert_refused(run_cli("case", "show", "case-none", "--json"), "NOT_FOUND")
    run_cli(*ADD)
    run_cli(*ADD)
    assert_refused(run_cli("case", "remove", "case-", "--json"), "AMBIGUOUS")
    assert len(cases()) == 2


def assert_refused(done: Completed, code: str) -> None:
    assert done.code == 2
    assert done.json()["error"]["code"] == code


def test_a_removed_case_is_gone(superbiz_home: Path) -> None:
    [added] = run_cli(*ADD, "--json").json()
    assert run_cli("case", "remove", added["case_id"]).code == 0
    assert cases() == []


def test_an_export_is_imported_elsewhere_and_a_second_time_changes_nothing(
    superbiz_home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    run_cli(*ADD)
    file = tmp_path / "cases.yaml"
    exported = run_cli("case", "export")
    file.write_text(exported.out, encoding="utf-8")
    before = cases()
    monkeypatch.setenv("SUPERBIZ_HOME", str(tmp_path / "elsewhere"))
    assert run_cli("case", "import", str(file), "--dry-run", "--json").json()[0]["cases"] == 1
    assert cases() == []
    counts = [run_cli("case", "import", str(file), "--json").json()[0] for _ in range(2)]
    assert [(count["added"], count["unchanged"]) for count in counts] == [(1, 0), (0, 1)]
    assert cases() == before
    assert run_cli("case", "export").out == exported.out


def test_a_file_of_cases_may_come_from_a_pipe(superbiz_home: Path) -> None:
    text = "schema: superbiz.cases/v1\ncases:\n- {id: disk-1, symptoms: [disk full], root_cause: binlogs}\n"
    assert run_cli("case", "import", "-", stdin=text.encode()).code == 0
    assert [case["case_id"] for case in cases()] == ["disk-1"]


@pytest.mark.parametrize("content", [b"cases: 1", b"\xff\xfe", b"- ["])
def test_a_bad_file_of_cases_changes_nothing(superbiz_home: Path, tmp_path: Path, content: bytes) -> None:
    file = tmp_path / "cases.yaml"
    file.write_bytes(content)
    assert_refused(run_cli("case", "import", str(file), "--json"), "CONFIG_INVALID")
    assert_refused(run_cli("case", "import", str(tmp_path / "absent"), "--json"), "CONFIG_INVALID")
    assert not superbiz_home.exists()


def test_listing_cases_creates_nothing(superbiz_home: Path) -> None:
    assert run_cli("case", "list", "--json").json() == []
    assert run_cli("case", "export").code == 0
    assert not superbiz_home.exists()


def test_a_cut_listing_names_the_flag_that_lifts_the_limit(superbiz_home: Path) -> None:
    for _ in range(3):
        run_cli(*ADD)
    done = run_cli("case", "list", "-n", "2")
    assert len(done.out.splitlines()) == 3
    assert "--limit -1" in done.err
