from __future__ import annotations

import json

import pytest

from superbiz_cli.harness.agent.draft_parser import DraftRefused, parse_draft
from superbiz_cli.harness.agent.outcome import DraftFault
from superbiz_cli.harness.contract.draft import Draft
from superbiz_cli.harness.contract.status import AnalysisKind
from tests.support.scripted import draft

LIMIT = 49_152
TEXT = draft(cites=["ev-1"], conclusion="the pool is exhausted")


def refusal(text: str, *, finish_reason: str | None = "stop", max_bytes: int = LIMIT) -> DraftRefused:
    with pytest.raises(DraftRefused) as caught:
        parse_draft(text, max_bytes=max_bytes, finish_reason=finish_reason)
    return caught.value


def test_a_whole_draft_is_read() -> None:
    parsed = parse_draft(TEXT, max_bytes=LIMIT, finish_reason="stop")
    assert parsed.analysis is not None
    (item,) = parsed.analysis
    assert (item.analysis_id, item.kind, item.tool_call_ids) == ("a1", AnalysisKind.NORMAL, ("ev-1",))
    assert parsed.conclusion is not None
    assert parsed.conclusion.text == "the pool is exhausted"


@pytest.mark.parametrize(
    "wrapper",
    [
        "%s",
        " \n%s\n\t",
        "\ufeff%s",
        "```json\n%s\n```",
        '<think>maybe {"x": 1}</think>\n%s',
        "\ufeff <think>hm</think> ```json\r\n%s\n``` ",
    ],
)
def test_the_known_wrappers_are_taken_off(wrapper: str) -> None:
    assert parse_draft(wrapper % TEXT, max_bytes=LIMIT) == parse_draft(TEXT, max_bytes=LIMIT)


@pytest.mark.parametrize("finish_reason", [None, "stop", "eos", "tool_calls"])
def test_how_the_provider_labels_a_complete_reply_does_not_matter(finish_reason: str | None) -> None:
    assert isinstance(parse_draft(TEXT, max_bytes=LIMIT, finish_reason=finish_reason), Draft)


@pytest.mark.parametrize(
    "text", ["", " \n ", "\ufeff", "<think>only a thought</think>", "{}", "```json\n\n```"]
)
def test_nothing_is_an_empty_draft(text: str) -> None:
    assert refusal(text).fault is DraftFault.EMPTY_DRAFT


@pytest.mark.parametrize(
    "text",
    [
        "The root cause is that the pool is exhausted.",
        f"Here is the draft: {TEXT}",
        f"{TEXT} Hope that helps.",
        f"{TEXT}\n{TEXT}",
        f"```json\n{TEXT}\n```\n```json\n{TEXT}\n```",
        f"```\n{TEXT}\n```",
        f"<think>one</think><think>two</think>{TEXT}",
        f"<think>never closed {TEXT}",
        TEXT[: len(TEXT) * 6 // 10],
        TEXT.replace('"conclusion"', '"analysis": [], "conclusion"'),
        '{"analysis": NaN}',
        '{"analysis": "\\ud800"}',
        '{"analysis": ' + "[" * 40 + "]" * 40 + "}",
        "<tool_call>\n<function=query_mysql>\n</tool_call>",
    ],
)
def test_anything_else_around_or_inside_the_document_is_invalid(text: str) -> None:
    refused = refusal(text)
    assert (refused.fault, refused.path) == (DraftFault.INVALID_JSON, None)


@pytest.mark.parametrize("finish_reason", ["length", "content_filter"])
def test_a_reply_that_was_cut_off_is_invalid_however_it_looks(finish_reason: str) -> None:
    assert refusal(TEXT, finish_reason=finish_reason).fault is DraftFault.INVALID_JSON


def test_a_draft_over_its_limit_is_invalid_and_one_byte_less_is_not() -> None:
    size = len(TEXT.encode())
    assert isinstance(parse_draft(TEXT, max_bytes=size), Draft)
    assert refusal(TEXT, max_bytes=size - 1).fault is DraftFault.INVALID_JSON


def test_the_limit_is_one_of_the_document_not_of_the_thought_before_it() -> None:
    thought = "<think>" + "x" * 1000 + "</think>"
    assert isinstance(parse_draft(thought + TEXT, max_bytes=len(TEXT.encode())), Draft)


@pytest.mark.parametrize(
    ("change", "path"),
    [
        ({"conclusion": "the pool is exhausted"}, "conclusion"),
        ({"analysis": [{"analysis_id": "a1", "kind": "normal"}]}, "analysis[0].kind"),
        ({"analysis": [{}, {"tool_call_ids": ["ev-1", 7]}]}, "analysis[1].tool_call_ids[1]"),
        (
            {"action_plan": [{"requires_human_confirmation": "yes"}]},
            "action_plan[0].requires_human_confirmation",
        ),
        ({"limitations": {"notes": []}}, "limitations.notes"),
        ({"severity": "high"}, "severity"),
    ],
)
def test_the_first_field_of_another_shape_is_named(change: dict[str, object], path: str) -> None:
    refused = refusal(json.dumps({**json.loads(TEXT), **change}))
    assert (refused.fault, refused.path) == (DraftFault.SCHEMA_INVALID, path)


@pytest.mark.parametrize("text", ["null", "[]", '"text"', "7"])
def test_a_document_that_is_no_object_has_the_wrong_shape(text: str) -> None:
    refused = refusal(text)
    assert (refused.fault, refused.path) == (DraftFault.SCHEMA_INVALID, "$")


def test_an_invented_field_name_is_cut_to_a_bounded_path() -> None:
    refused = refusal(json.dumps({"x" * 5000: 1}))
    assert refused.path is not None
    assert len(refused.path) <= 120
