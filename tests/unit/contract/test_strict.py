from __future__ import annotations

import pytest
from pydantic import ValidationError

from superbiz_cli.harness.contract.strict import (
    StrictJsonError,
    StrictModel,
    canonical_json,
    parse_strict_json,
    parse_strict_object,
)


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("", "not one JSON document"),
        ("   ", "not one JSON document"),
        ("{", "not one JSON document"),
        ("{} {}", "not one JSON document"),
        ("{}//", "not one JSON document"),
        ("{'a':1}", "not one JSON document"),
        ('{"a":1,}', "not one JSON document"),
        ('"line\nbreak"', "not one JSON document"),
        ("\ufeff{}", "not one JSON document"),
        ("\u00a0{}", "not one JSON document"),
        ("01", "not one JSON document"),
        ("9" * 5000, "not one JSON document"),
        ("NaN", "not a finite number"),
        ("[Infinity]", "not a finite number"),
        ("-Infinity", "not a finite number"),
        ("1e999", "not a finite number"),
        ('{"a":1,"a":1}', "duplicate key"),
        ('{"a":1,"\\u0061":2}', "duplicate key"),
        ('"\\ud800"', "lone surrogate"),
        ('{"\\udfff":1}', "lone surrogate"),
        ('["\ud800"]', "lone surrogate"),
        ("[" * 33 + "]" * 33, "nested too deeply"),
        ("[" * 100_000, "nested too deeply"),
    ],
)
def test_a_doubtful_document_is_refused_with_its_reason(text: str, reason: str) -> None:
    with pytest.raises(StrictJsonError) as caught:
        parse_strict_json(text)
    assert str(caught.value) == reason


def test_a_surrogate_pair_is_one_character() -> None:
    assert parse_strict_json('"\\ud83d\\ude00"') == "😀"


@pytest.mark.parametrize("text", ["[]", "1", '"text"', "null"])
def test_an_object_is_wanted_and_nothing_else_will_do(text: str) -> None:
    with pytest.raises(StrictJsonError, match="not a JSON object"):
        parse_strict_object(text)


def test_the_size_is_checked_before_anything_is_read() -> None:
    assert parse_strict_object('{"é":1}', max_bytes=8) == {"é": 1}
    with pytest.raises(StrictJsonError, match="too large"):
        parse_strict_object('{"é":1}', max_bytes=7)


def test_canonical_json_is_sorted_dense_and_readable() -> None:
    assert canonical_json({"b": [1, 2.5, None], "a": "支付"}) == '{"a":"支付","b":[1,2.5,null]}'


def test_canonical_json_has_no_word_for_infinity() -> None:
    with pytest.raises(ValueError, match="not JSON compliant"):
        canonical_json(float("inf"))


class Point(StrictModel):
    x: int
    label: str = ""


@pytest.mark.parametrize(
    "fields", [{"x": "1"}, {"x": True}, {"x": 1.0}, {"x": 1, "label": b"a"}, {"x": 1, "y": 2}, {}]
)
def test_a_strict_model_converts_nothing_and_takes_nothing_unknown(fields: dict[str, object]) -> None:
    with pytest.raises(ValidationError):
        Point.model_validate(fields)


def test_a_strict_model_is_frozen() -> None:
    with pytest.raises(ValidationError):
        Point(x=1).x = 2
