from __future__ import annotations

import json

import pytest

from superbiz_cli.harness.agent.envelope import (
    MAX_ENVELOPE_BYTES,
    Envelope,
    EnvelopeRefused,
    parse_envelope,
)
from superbiz_cli.harness.contract.status import InformationGain
from superbiz_cli.harness.progress.protocol import Rating, ViolationType


def refusal(arguments: str) -> EnvelopeRefused:
    with pytest.raises(EnvelopeRefused) as caught:
        parse_envelope(arguments)
    return caught.value


def test_an_envelope_without_a_rating_is_read() -> None:
    arguments = '{"previous_observation": null, "input": {"query": "payment", "n": 3}}'
    assert parse_envelope(arguments) == Envelope(None, {"query": "payment", "n": 3})


@pytest.mark.parametrize("gain", list(InformationGain))
def test_an_envelope_with_a_rating_is_read(gain: InformationGain) -> None:
    arguments = json.dumps(
        {"input": {}, "previous_observation": {"tool_call_id": "ev-1", "information_gain": gain.value}}
    )
    assert parse_envelope(arguments) == Envelope(Rating("ev-1", gain), {})


@pytest.mark.parametrize(
    "arguments",
    [
        "",
        "[1,2]",
        "null",
        '"text"',
        "{'previous_observation': None, 'input': {}}",
        '{"previous_observation":null,"input":{}} I will look now.',
        '{"previous_observation":null,"input":{}}{"previous_observation":null,"input":{}}',
        '```json\n{"previous_observation":null,"input":{}}\n```',
        '\ufeff{"previous_observation":null,"input":{}}',
        '{"previous_observation":null,/* c */"input":{"query":"x",}}',
        '{"previous_observation":null,"input":{"n":NaN}}',
        '{"previous_observation":null,"input":{"n":1e999}}',
        '{"previous_observation":null,"input":{"n":' + "9" * 5000 + "}}",
        '{"previous_observation":null,"input":' + "[" * 20_000 + "]" * 20_000 + "}",
        '{"previous_observation":null,"input":{"query":"a\nb"}}',
        '{"previous_observation":null,"input":{"query":"bad \\ud800 x"}}',
        '{"previous_observation":null,"input":{"query":"a\\u0000b"}}',
        '{"previous_observation":null,"input":{"terms":["a\\u001bb"]}}',
        '{"previous_observation":null,"input":{"ke\\u0007y":"b"}}',
        '{"previous_observation":null,"input":{"query":"x"},"input":{"query":"y"}}',
        '{"previous_observation":null,"input":{},"thought":"hm"}',
        '{"topic":"APPLICATION","query":"x"}',
        '{"previous_observation":null,"input":[]}',
        '{"previous_observation":null,"input":"x"}',
        '{"previous_observation":"ev-1","input":{}}',
        '{"previous_observation":[],"input":{}}',
        '{"previous_observation":{"tool_call_id":"ev-1"},"input":{}}',
        '{"previous_observation":{"tool_call_id":1,"information_gain":"GAINED"},"input":{}}',
        '{"previous_observation":{"tool_call_id":"ev-1","information_gain":"gained"},"input":{}}',
        '{"previous_observation":{"tool_call_id":"ev-1","information_gain":true},"input":{}}',
        '{"previous_observation":{"tool_call_id":"ev-1","information_gain":"GAINED","why":"x"},"input":{}}',
        '{"previous_observation":null,"input":{"query":"' + "x" * MAX_ENVELOPE_BYTES + '"}}',
    ],
)
def test_anything_but_the_exact_envelope_is_invalid(arguments: str) -> None:
    refused = refusal(arguments)
    assert refused.violation is ViolationType.INVALID_ENVELOPE
    assert refused.missing_field is None


@pytest.mark.parametrize("arguments", ["{}", '{"previous_observation":null}', '{"input":null}'])
def test_a_missing_input_is_named(arguments: str) -> None:
    refused = refusal(arguments)
    assert (refused.violation, refused.missing_field) == (ViolationType.MISSING_INPUT, "input")


def test_a_missing_rating_key_is_named() -> None:
    refused = refusal('{"input":{"query":"x"}}')
    assert refused.violation is ViolationType.MISSING_PREVIOUS_OBSERVATION
    assert refused.missing_field == "previous_observation"


def test_white_space_inside_a_statement_is_legal() -> None:
    envelope = parse_envelope('{"previous_observation":null,"input":{"sql":"SELECT a\\n\\tFROM b\\r\\n"}}')
    assert envelope.input["sql"] == "SELECT a\n\tFROM b\r\n"


def test_a_refusal_holds_nothing_of_the_text() -> None:
    assert "hunter2" not in repr(refusal('{"password":"hunter2"}').args)
