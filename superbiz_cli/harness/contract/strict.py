"""Reading JSON that a model, a disk or a network wrote: one document, nothing doubtful.

RFC 8259 leaves duplicate names, huge nesting and NaN to the reader; here each of them is refused.
"""

from __future__ import annotations

import json
from collections.abc import Iterable
from typing import Any, NoReturn, TypeAlias, Union

from pydantic import BaseModel, ConfigDict

MAX_DEPTH = 32

JsonValue: TypeAlias = Union[bool, int, float, str, list["JsonValue"], dict[str, "JsonValue"], None]


class StrictJsonError(ValueError):
    """The text is not exactly one acceptable JSON document. The message holds nothing of the text."""


class StrictModel(BaseModel):
    """Base of every record that crosses the model or the disk: frozen, strict, no unknown field."""

    model_config = ConfigDict(frozen=True, strict=True, extra="forbid")


def parse_strict_json(text: str, *, max_bytes: int | None = None) -> JsonValue:
    """Parse exactly one JSON document.

    Raises StrictJsonError for trailing text, duplicate keys, NaN or infinity, lone surrogates,
    nesting deeper than 32, or more than `max_bytes` UTF-8 bytes.
    """
    try:
        size = len(text.encode("utf-8"))
    except UnicodeEncodeError as error:
        raise StrictJsonError("lone surrogate") from error
    if max_bytes is not None and size > max_bytes:
        raise StrictJsonError("too large")
    if _too_deep(text):
        raise StrictJsonError("nested too deeply")
    try:
        value: JsonValue = json.loads(
            text, object_pairs_hook=_unique_keys, parse_constant=_refuse_constant, parse_float=_finite
        )
    except StrictJsonError:
        raise
    except (ValueError, RecursionError) as error:
        raise StrictJsonError("not one JSON document") from error
    _refuse_surrogates(value)
    return value


def parse_strict_object(text: str, *, max_bytes: int | None = None) -> dict[str, JsonValue]:
    """Parse exactly one JSON object; see `parse_strict_json` for what is refused."""
    value = parse_strict_json(text, max_bytes=max_bytes)
    if not isinstance(value, dict):
        raise StrictJsonError("not a JSON object")
    return value


def canonical_json(value: Any) -> str:
    """Return the one JSON text of `value`: sorted keys, no spaces, UTF-8 characters kept."""
    return json.dumps(value, ensure_ascii=False, sort_keys=True, separators=(",", ":"), allow_nan=False)


def _too_deep(text: str) -> bool:
    depth = 0
    in_string = False
    escaped = False
    for char in text:
        if in_string:
            if escaped:
                escaped = False
            elif char == "\\":
                escaped = True
            elif char == '"':
                in_string = False
        elif char == '"':
            in_string = True
        elif char in "[{":
            depth += 1
            if depth > MAX_DEPTH:
                return True
        elif char in "]}":
            depth -= 1
    return False


def _unique_keys(pairs: Iterable[tuple[str, JsonValue]]) -> dict[str, JsonValue]:
    result: dict[str, JsonValue] = {}
    for key, value in pairs:
        if key in result:
            raise StrictJsonError("duplicate key")
        result[key] = value
    return result


def _refuse_constant(_name: str) -> NoReturn:
    raise StrictJsonError("not a finite number")


def _finite(literal: str) -> float:
    number = float(literal)
    if number in (float("inf"), float("-inf")):
        raise StrictJsonError("not a finite number")
    return number


def _refuse_surrogates(value: JsonValue) -> None:
    match value:
        case str():
            try:
                value.encode("utf-8")
            except UnicodeEncodeError as error:
                raise StrictJsonError("lone surrogate") from error
        case list():
            for item in value:
                _refuse_surrogates(item)
        case dict():
            for key, item in value.items():
                _refuse_surrogates(key)
                _refuse_surrogates(item)
        case _:
            return
