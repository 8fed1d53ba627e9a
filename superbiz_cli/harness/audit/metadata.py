"""The gate that keeps the ledger free of data: only words that a program would write pass it.

A code, a hash, an id, a route, a time stamp or a list of them has no blank and only a few
punctuation marks; a sentence, a statement, a log line or a query has. What does not look like the
former is withheld, whoever wrote it: a provider's model name and an invented tool name come from
outside too.
"""

from __future__ import annotations

import math
import re
from collections.abc import Mapping
from dataclasses import replace

from superbiz_cli.harness.audit.events import (
    AgentStepRecord,
    ModelCallRecord,
    Scalar,
    TraceEvent,
)

WITHHELD = "[withheld]"
WORD_CHARS = 256
LIST_CHARS = 1024  # all violation codes of one draft, comma-separated, fit
_WORD = re.compile(r"[A-Za-z0-9._:/#@,+\[\]-]*")


def word(text: str, *, max_chars: int = WORD_CHARS) -> str:
    """Return `text` if it can only be a code, an id or the like, else "[withheld]"."""
    return str(text) if len(text) <= max_chars and _WORD.fullmatch(text) else WITHHELD


def optional_word(text: str | None) -> str | None:
    """Return `word(text)`, or None for None."""
    return None if text is None else word(text)


def metadata_only(event: TraceEvent) -> TraceEvent:
    """Return the event with every attribute that could hold data withheld. `display` is untouched."""
    return replace(event, attributes=_scalars(event.attributes))


def call_metadata(record: ModelCallRecord) -> ModelCallRecord:
    """Return the record with the provider's own words checked."""
    return replace(record, model=word(record.model), finish_reason=optional_word(record.finish_reason))


def step_metadata(record: AgentStepRecord) -> AgentStepRecord:
    """Return the record with the model's own words checked (it may invent a tool name)."""
    return replace(record, kind=word(record.kind), tool_name=optional_word(record.tool_name))


def storable(text: str) -> str:
    """Return `text` without lone surrogates, which no database can keep."""
    return text.encode("utf-8", "replace").decode("utf-8")


def _scalars(attributes: Mapping[str, Scalar]) -> dict[str, Scalar]:
    return {key: _scalar(value) for key, value in attributes.items()}


def _scalar(value: object) -> Scalar:
    match value:
        case None | bool() | int():
            return value
        case float():
            return value if math.isfinite(value) else None
        case str():
            return word(value, max_chars=LIST_CHARS)
        case _:  # the type forbids it, but an event must never cost the Run
            return WITHHELD
