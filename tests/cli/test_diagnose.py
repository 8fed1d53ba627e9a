"""`superbiz diagnose`: what is asked, what is written where, and how the process ends."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import pytest

from superbiz_cli.errors import ErrorCode, SuperbizError
from superbiz_cli.harness.contract.report import Failure, RunResult
from superbiz_cli.harness.contract.status import FailureCode, RunState
from tests.support.fake_bootstrap import FakeRoot, cancelled, installed
from tests.support.results import failed_result, fallback_result, result
from tests.support.run_cli import Completed, run_cli
from tests.support.schemas import ERROR_VALIDATOR, EVENT_VALIDATOR

QUESTION = "payment service times out since 10:00"


def diagnose(root: FakeRoot, *arguments: str, **streams: Any) -> Completed:
    with installed(root):
        return run_cli("diagnose", *arguments, **streams)


def failure(
    code: FailureCode, unavailable: str | None = None, state: RunState = RunState.FAILED
) -> RunResult:
    content = Failure(code=code, message="It could not be done.", hint="try this", unavailable=unavailable)
    return failed_result(failure=content, run_state=state)


def test_the_report_goes_to_stdout_and_the_progress_to_stderr() -> None:
    done = diagnose(FakeRoot(), QUESTION)
    assert done.code == 0
    assert done.out.startswith("Conclusion\n")
    assert "✓" not in done.out
    assert "✓ logs" in done.err
    assert "Conclusion" not in done.err


def test_quiet_leaves_stderr_empty() -> None:
    assert diagnose(FakeRoot(), QUESTION, "--quiet").err == ""


@pytest.mark.parametrize(
    ("outcome", "code"),
    [
        (result(), 0),
        (fallback_result(), 3),
        (failure(FailureCode.INTERNAL_FAILURE), 1),
        (failure(FailureCode.DIAGNOSIS_UNAVAILABLE), 1),
        (failure(FailureCode.DIAGNOSIS_UNAVAILABLE, "model"), 4),
        (failure(FailureCode.ROUTING_UNAVAILABLE), 4),
        (failure(FailureCode.RUN_PERSISTENCE_FAILED), 4),
        (failure(FailureCode.RUN_TIMED_OUT, state=RunState.TIMED_OUT), 5),
        (failure(FailureCode.BUDGET_EXHAUSTED, state=RunState.BUDGET_EXHAUSTED), 5),
        (cancelled(result()), 130),
    ],
)
def test_each_outcome_has_its_exit_code(outcome: RunResult, code: int) -> None:
    assert diagnose(FakeRoot(result=outcome), QUESTION).code == code


def test_exit_zero_forgives_a_fallback_and_nothing_else() -> None:
    assert diagnose(FakeRoot(result=fallback_result()), QUESTION, "--exit-zero").code == 0
    assert diagnose(FakeRoot(result=failed_result()), QUESTION, "--exit-zero").code == 5


def test_a_failed_run_leaves_stdout_empty() -> None:
    done = diagnose(FakeRoot(result=failed_result()), QUESTION)
    assert done.out == ""
    assert done.err.splitlines()[-2:] == ["superbiz: The deadline passed.", "hint: use --timeout"]


def test_a_failed_run_is_one_document_in_json() -> None:
    document = diagnose(FakeRoot(result=failed_result()), QUESTION, "--json").json()
    assert document["content_type"] == "failure"
    assert document["failure"]["code"] == "RUN_TIMED_OUT"


def test_what_cannot_be_opened_is_a_json_error_for_machines() -> None:
    refusal = SuperbizError(ErrorCode.STORE_UNAVAILABLE, "Redis does not answer.", hint="start it")
    done = diagnose(FakeRoot(refuses=refusal), QUESTION, "--json")
    assert done.code == 4
    assert done.json() == {
        "error": {"code": "STORE_UNAVAILABLE", "message": "Redis does not answer.", "hint": "start it"}
    }


@pytest.mark.parametrize("flag", ["--json", "--ndjson"])
@pytest.mark.parametrize("code", ErrorCode)
def test_every_error_document_is_valid_by_its_schema(code: ErrorCode, flag: str) -> None:
    for hint in ("start it", None):
        done = diagnose(FakeRoot(refuses=SuperbizError(code, "It broke.", hint=hint)), QUESTION, flag)
        ERROR_VALIDATOR.validate(done.json())


def test_a_defect_shows_its_class_and_no_text() -> None:
    done = diagnose(FakeRoot(breaks=ValueError("password=canary123")), QUESTION)
    assert (done.code, done.out) == (1, "")
    assert "ValueError" in done.err
    assert "canary123" not in done.err
    assert "Traceback" not in done.err


def test_debug_shows_where_a_defect_is_and_still_no_text() -> None:
    done = diagnose(FakeRoot(breaks=ValueError("password=canary123")), QUESTION, "--debug")
    assert "Traceback" in done.err
    assert "fake_bootstrap.py" in done.err
    assert "canary123" not in done.err


def test_a_warning_of_the_run_is_a_note() -> None:
    done = diagnose(FakeRoot(warning="This run is not recorded: locked"), QUESTION)
    assert "note: This run is not recorded: locked" in done.err.splitlines()


@pytest.mark.parametrize(
    ("arguments", "stdin", "asked"),
    [
        (["a question"], None, "a question"),
        (["-"], b"from stdin\n", "from stdin"),
        ([], b"from a pipe\n", "from a pipe"),
        ([], "支付超时".encode(), "支付超时"),
        ([], b"\xef\xbb\xbfwith a mark", "with a mark"),
    ],
)
def test_the_question_comes_from_the_argument_or_from_stdin(
    arguments: list[str], stdin: bytes | None, asked: str
) -> None:
    root = FakeRoot()
    assert diagnose(root, *arguments, stdin=stdin).code == 0
    assert root.requests[0].query == asked


@pytest.mark.parametrize(
    ("arguments", "stdin", "message"),
    [
        ([], None, "no question was given"),
        ([""], None, "the question is empty"),
        ([" \n "], None, "the question is empty"),
        (["-"], b"  ", "the question is empty"),
        (["x" * 17_000], None, "larger than 16384 bytes"),
        ([], b"x" * 10_000_000, "larger than 16384 bytes"),
        (["支" * 6000], None, "larger than 16384 bytes"),
        ([], b"\xff\xfe", "not UTF-8 text"),
        (["bad \udcff byte"], None, "not UTF-8 text"),
    ],
)
def test_a_question_that_cannot_be_asked_is_refused(
    arguments: list[str], stdin: bytes | None, message: str
) -> None:
    root = FakeRoot()
    done = diagnose(root, *arguments, stdin=stdin)
    assert (done.code, done.out, root.requests) == (2, "", [])
    assert message in done.err


@pytest.mark.parametrize("session", ["", "a b", "../x", "-x", "x" * 65, "支付", "a/b", "x\n"])
def test_a_session_with_unknown_characters_is_refused(session: str) -> None:
    done = diagnose(FakeRoot(), QUESTION, "--session", session)
    assert (done.code, done.out) == (2, "")
    assert "session id" in done.err


def test_the_flags_become_the_request_and_the_settings() -> None:
    root = FakeRoot()
    flags = ["-s", "shop.1", "--skill", "mysql", "--timeout", "9", "--model", "openai/x", "--since", "2h"]
    assert diagnose(root, QUESTION, *flags).code == 0
    (request,), (settings,) = root.requests, root.settings
    assert (request.session_id, request.skills, request.continue_last) == ("shop.1", ("mysql",), False)
    assert settings.run.deadline_s == 9
    assert {settings.model.agent_route.name, settings.model.guard_route.name} == {"openai/x"}
    assert request.window.since is not None
    assert (request.window.until - request.window.since).total_seconds() == 7200


def test_the_window_of_the_question_is_stated() -> None:
    done = diagnose(FakeRoot(), QUESTION)
    assert '(from "since 10:00")' in done.err
    assert "+08:00" in done.err


def test_a_flag_that_was_typed_beats_a_file_even_with_the_default_value(tmp_path: Path) -> None:
    (tmp_path / "superbiz.toml").write_text("[run]\ndeadline_s = 9\n")
    root = FakeRoot()
    assert diagnose(root, QUESTION, folder=tmp_path).code == 0
    assert diagnose(root, QUESTION, "--timeout", "300", folder=tmp_path).code == 0
    assert [settings.run.deadline_s for settings in root.settings] == [9, 300]


def test_a_project_file_is_announced_on_stderr_only(tmp_path: Path) -> None:
    (tmp_path / "superbiz.toml").write_text("[run]\ndeadline_s = 9\n")
    done = diagnose(FakeRoot(), QUESTION, "--json", folder=tmp_path)
    assert "note: using ./superbiz.toml" in done.err
    assert done.json()["release_outcome"] == "SUCCESS"


def test_a_wrong_setting_is_refused_before_anything_is_opened(tmp_path: Path) -> None:
    (tmp_path / "superbiz.toml").write_text("[run]\nmax_tool_calls = 0\n")
    root = FakeRoot()
    done = diagnose(root, QUESTION, folder=tmp_path)
    assert (done.code, done.out, root.settings) == (2, "", [])
    assert "run.max_tool_calls" in done.err


def test_a_file_gets_exactly_what_stdout_would_get(tmp_path: Path) -> None:
    for flags in ([], ["--json"], ["--ndjson"], ["--format", "markdown"]):
        target = tmp_path / "out"
        piped = diagnose(FakeRoot(), "q", "--until", "2026-11-30T10:15+08:00", *flags)
        filed = diagnose(FakeRoot(), "q", "--until", "2026-11-30T10:15+08:00", *flags, "-o", str(target))
        assert (filed.code, filed.out) == (0, "")
        assert target.read_bytes() == piped.out.encode()


def test_an_output_that_cannot_be_written_is_refused_before_the_work(tmp_path: Path) -> None:
    for target in (tmp_path, tmp_path / "none" / "out"):
        root = FakeRoot()
        done = diagnose(root, QUESTION, "-o", str(target))
        assert (done.code, root.requests) == (2, [])
        assert "cannot be written" in done.err


def test_a_failed_run_does_not_touch_the_output_file(tmp_path: Path) -> None:
    target = tmp_path / "out"
    target.write_text("before")
    assert diagnose(FakeRoot(result=failed_result()), QUESTION, "-o", str(target)).code == 5
    assert target.read_text() == "before"


@pytest.mark.parametrize("format_flags", [["--json"], ["--ndjson"], ["--format", "markdown"], []])
def test_nothing_but_a_terminal_sees_colour(monkeypatch: pytest.MonkeyPatch, format_flags: list[str]) -> None:
    assert "\x1b" not in diagnose(FakeRoot(), QUESTION, *format_flags).out
    monkeypatch.setenv("FORCE_COLOR", "1")
    forced = diagnose(FakeRoot(), QUESTION, *format_flags)
    assert ("\x1b" in forced.out) == (format_flags == [])
    assert "\x1b[?25l" not in forced.err


def test_the_events_stream_in_order_and_end_with_done() -> None:
    lines = diagnose(FakeRoot(), QUESTION, "--ndjson").ndjson()
    names = [line["event"] for line in lines]
    assert names[0] == "metadata"
    assert names[-2:] == ["content", "done"]
    assert [line["status"] for line in lines if line["event"] == "status"] == [
        "ROUTING",
        "DIAGNOSIS_RUNNING",
        "SAFETY_VALIDATING",
    ]
    assert lines[-1]["outcome"] == "SUCCESS"
    assert {line["run_id"] for line in lines} == {"7f3k00aaaa"}
    assert [line["seq"] for line in lines] == list(range(1, len(lines) + 1))


@pytest.mark.parametrize(
    "arguments",
    [["payment fails"], [QUESTION], ["payment fails", "--since", "1h"]],
    ids=["none", "words", "flag"],
)
def test_the_lines_are_valid_by_the_schema_whatever_named_the_time(arguments: list[str]) -> None:
    lines = diagnose(FakeRoot(), *arguments, "--ndjson").ndjson()
    for line in lines:
        EVENT_VALIDATOR.validate(line)
    assert (lines[0]["window"]["from"] is None) == (arguments == ["payment fails"])


def test_a_cancelled_run_sends_a_failure_and_no_done() -> None:
    lines = diagnose(FakeRoot(result=cancelled(result())), QUESTION, "--ndjson").ndjson()
    assert lines[-1]["event"] == "failure"
    assert lines[-1]["failure"]["code"] == "RUN_CANCELLED"


def test_diagnosing_writes_nothing_outside_what_the_run_opens(superbiz_home: Path) -> None:
    assert diagnose(FakeRoot(), QUESTION).code == 0
    assert not superbiz_home.exists()
    assert not Path(os.environ["SUPERBIZ_CONFIG_DIR"]).exists()


def test_a_first_use_without_any_source_gets_exactly_one_hint(tmp_path: Path) -> None:
    hinted = diagnose(FakeRoot(result=fallback_result()), QUESTION)
    assert [line for line in hinted.err.splitlines() if line.startswith("hint:")] == [
        "hint: no log source is configured yet; superbiz config init writes a file to begin with"
    ]
    (tmp_path / "superbiz.toml").write_text(
        '[[logs.sources]]\nname = "a"\ntopic = "APPLICATION"\npaths = ["x"]\n'
    )
    assert "hint:" not in diagnose(FakeRoot(result=fallback_result()), QUESTION, folder=tmp_path).err
