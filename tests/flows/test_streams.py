"""Each kind of ending in each format: what stdout and stderr get, and how the process ends."""

from __future__ import annotations

from typing import Any

import pytest

from tests.support.flow_books import balanced
from tests.support.flow_turns import (
    CONCLUSION,
    diagnosis,
    draft,
    item,
    judges,
    routes,
    says,
    script,
)
from tests.support.flow_world import SECRET, World
from tests.support.schemas import EVENT_VALIDATOR, RUN_VALIDATOR

NOTHING = script(says(draft(analysis=[], conclusion=None)))
# ending -> (script, exit code, content, a sentence of it)
ENDINGS: dict[str, tuple[Any, int, str, str]] = {
    "success": (diagnosis(), 0, "report", "The connection pool of payment-service ran out"),
    "unsupported": (
        diagnosis(semantic=[judges("UNSUPPORTED")]),
        3,
        "fallback",
        "the independent judge found it not",
    ),
    "unproven": (diagnosis(draft(conclusion=None)), 3, "fallback", "What was found does not prove a cause."),
    "invalid": (
        diagnosis(draft(item(cites=["ev-x-1"]))),
        3,
        "fallback",
        "could not be confirmed",
    ),
    "answer": (script(router=[routes("SYSTEM_CHAT")]), 0, "answer", "I diagnose incidents"),
    "nothing": (NOTHING, 1, "failure", "Nothing could be published"),
    "no route": (diagnosis(router=[says("?"), says("?")]), 4, "failure", "The question was not routed"),
}


@pytest.mark.parametrize("ending", ENDINGS)
def test_text_puts_results_on_stdout_and_failures_on_stderr(world: World, ending: str) -> None:
    played, code, content, sentence = ENDINGS[ending]
    flow = world.ask(played)
    assert flow.code == code
    balanced(flow)
    told, silent = (flow.err, flow.out) if content == "failure" else (flow.out, "")
    assert sentence in " ".join(told.split())
    assert silent == ""
    assert "Traceback" not in flow.err
    assert (CONCLUSION in " ".join(flow.out.split())) == (content == "report")


@pytest.mark.parametrize("ending", ENDINGS)
def test_json_is_one_valid_document_whatever_the_ending(world: World, ending: str) -> None:
    played, code, content, _ = ENDINGS[ending]
    flow = world.ask(played, "--json")
    assert flow.code == code
    RUN_VALIDATOR.validate(flow.document)
    assert flow.document["content_type"] == content
    assert [key for key in ("report", "fallback", "answer", "failure") if flow.document[key]] == [content]


@pytest.mark.parametrize("ending", ENDINGS)
def test_ndjson_tells_the_run_in_order(world: World, ending: str) -> None:
    played, code, content, _ = ENDINGS[ending]
    flow = world.ask(played, "--ndjson")
    assert flow.code == code
    lines = flow.completed.ndjson()
    names = [line["event"] for line in lines]
    assert names[0] == "metadata"
    assert names[-1] == "done"
    assert names[-2] == ("failure" if content == "failure" else "content")
    assert set(names[1:-2]) <= {"status", "tool"}
    assert {line["run_id"] for line in lines} == {flow.replay.run.summary.run_id}
    assert [line["seq"] for line in lines] == list(range(1, len(lines) + 1))
    assert lines[-1]["outcome"] == flow.replay.run.summary.release_outcome
    for line in lines:
        EVENT_VALIDATOR.validate(line)


@pytest.mark.parametrize("ending", ENDINGS)
def test_markdown_puts_results_on_stdout_and_failures_on_stderr(world: World, ending: str) -> None:
    played, code, content, sentence = ENDINGS[ending]
    flow = world.ask(played, "--format", "markdown")
    assert flow.code == code
    assert (flow.out == "") == (content == "failure")
    assert sentence in " ".join((flow.out or flow.err).split())


def test_exit_zero_makes_a_fallback_a_success_of_the_process_only(world: World) -> None:
    flow = world.ask(ENDINGS["unproven"][0], "--exit-zero", "--json")
    assert flow.code == 0
    assert flow.document["release_outcome"] == "FALLBACK"
    assert world.ask(NOTHING, "--exit-zero").code == 1


def test_a_password_in_the_logs_reaches_no_stream_and_no_row(world: World) -> None:
    seen = item("payment-service logged a failed login")
    honest = draft(seen, conclusion=None)
    played = script(*diagnosis(honest)["script"]["agent"])
    played["script"]["agent"][0]["tool_calls"][0]["arguments"] = (
        '{"previous_observation": null, "input": {"topic": "APPLICATION", "query": "login failed"}}'
    )
    flow = world.ask(played, "--json")
    assert flow.code == 3
    assert "login failed" in flow.out
    assert SECRET not in flow.out + flow.err
    assert SECRET.encode() not in world.audit_file.read_bytes()


def test_the_result_goes_to_a_file_when_one_is_named(world: World) -> None:
    target = world.folder / "report.txt"
    flow = world.ask(diagnosis(), "--output", str(target))
    assert flow.code == 0
    assert flow.out == ""
    assert "connection pool" in target.read_text(encoding="utf-8")
