from __future__ import annotations

import json
import math

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from superbiz_cli.harness.contract.strict import (
    MAX_DEPTH,
    JsonValue,
    StrictJsonError,
    canonical_json,
    parse_strict_json,
    parse_strict_object,
)

TEXT = st.text(st.characters(exclude_categories=["Cs"]), max_size=12)
NUMBERS = st.one_of(st.integers(), st.floats(allow_nan=False, allow_infinity=False))
SCALARS = st.one_of(st.none(), st.booleans(), NUMBERS, TEXT)
VALUES: st.SearchStrategy[JsonValue] = st.recursive(
    SCALARS,
    lambda inner: st.one_of(st.lists(inner, max_size=4), st.dictionaries(TEXT, inner, max_size=4)),
    max_leaves=20,
)
BLANKS = st.text(" \t\r\n", max_size=3)


@given(VALUES)
def test_what_is_written_canonically_is_read_back_as_it_was(value: JsonValue) -> None:
    assert parse_strict_json(canonical_json(value)) == value


@given(VALUES)
def test_a_value_has_one_canonical_text(value: JsonValue) -> None:
    text = canonical_json(value)
    assert canonical_json(parse_strict_json(text)) == text


@given(st.dictionaries(TEXT, SCALARS, max_size=5))
def test_the_order_of_keys_makes_no_difference(value: dict[str, JsonValue]) -> None:
    backwards = dict(reversed(value.items()))
    assert canonical_json(backwards) == canonical_json(value)


@given(VALUES, BLANKS, BLANKS)
def test_white_space_around_a_document_is_no_part_of_it(value: JsonValue, before: str, after: str) -> None:
    assert parse_strict_json(before + json.dumps(value) + after) == value


@given(VALUES, st.text(min_size=1, max_size=5))
def test_text_after_a_document_is_refused(value: JsonValue, trailing: str) -> None:
    assume(trailing.strip(" \t\r\n"))
    text = canonical_json({"document": value}) + trailing
    with pytest.raises(StrictJsonError):
        parse_strict_json(text)


@given(st.dictionaries(TEXT, SCALARS, min_size=1, max_size=4), st.data())
def test_a_key_that_occurs_twice_is_refused(value: dict[str, JsonValue], data: st.DataObject) -> None:
    key = data.draw(st.sampled_from(sorted(value)))
    twice = json.dumps(value)[:-1] + f",{json.dumps(key)}:1}}"
    for text in (twice, f'[{{"inner":{twice}}}]'):
        with pytest.raises(StrictJsonError):
            parse_strict_json(text)


@given(st.integers(min_value=1, max_value=2 * MAX_DEPTH), st.booleans())
def test_nesting_is_allowed_to_depth_32_and_no_deeper(depth: int, objects: bool) -> None:
    text = '{"k":' * depth + "0" + "}" * depth if objects else "[" * depth + "]" * depth
    if depth <= MAX_DEPTH:
        parse_strict_json(text)
    else:
        with pytest.raises(StrictJsonError):
            parse_strict_json(text)


@given(st.text(st.sampled_from('[]{}"\\ab,:'), max_size=200))
def test_brackets_in_a_text_are_no_nesting(content: str) -> None:
    assert parse_strict_json(canonical_json({"text": content})) == {"text": content}


@given(VALUES, st.integers(min_value=0, max_value=60))
def test_the_size_limit_counts_utf_8_bytes(value: JsonValue, max_bytes: int) -> None:
    text = canonical_json(value)
    if len(text.encode()) <= max_bytes:
        assert parse_strict_json(text, max_bytes=max_bytes) == value
    else:
        with pytest.raises(StrictJsonError):
            parse_strict_json(text, max_bytes=max_bytes)


MESSAGES = {
    "lone surrogate",
    "nested too deeply",
    "not one JSON document",
    "not a finite number",
    "duplicate key",
}


@given(st.text(st.characters(), max_size=80))
def test_any_text_is_read_or_refused_by_one_error_that_shows_nothing_of_it(text: str) -> None:
    message = None
    try:
        value = parse_strict_json(text)
    except StrictJsonError as error:
        message = str(error)
    else:
        assert json.loads(text) == value
    assert message is None or message in MESSAGES


@given(st.text(st.sampled_from('{}[]":,\\0123456789.eE+-truefalsn \n'), max_size=40))
def test_what_looks_like_json_is_read_as_the_library_reads_it_or_refused(text: str) -> None:
    try:
        value = parse_strict_json(text)
    except StrictJsonError:
        return
    assert json.loads(text) == value
    assert not (isinstance(value, float) and not math.isfinite(value))


@given(VALUES)
def test_an_object_reader_takes_objects_and_nothing_else(value: JsonValue) -> None:
    text = canonical_json(value)
    if isinstance(value, dict):
        assert parse_strict_object(text) == value
    else:
        with pytest.raises(StrictJsonError):
            parse_strict_object(text)
