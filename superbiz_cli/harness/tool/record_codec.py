"""Strict JSON form of a canonical invocation, shared by every store.

One record has exactly one encoding, so that a store can compare whole records byte by byte.
"""

from __future__ import annotations

from dataclasses import asdict, fields

from superbiz_cli.harness.contract.status import EvidenceStatus, InvocationStatus
from superbiz_cli.harness.contract.strict import JsonValue, canonical_json, parse_strict_object
from superbiz_cli.harness.contract.tool_call import TOOL_CALL_ID_PATTERN, ToolErrorCode, ToolName
from superbiz_cli.harness.tool.invocation import CanonicalInvocation, StoreError, StoreFault

_FIELDS = frozenset(field.name for field in fields(CanonicalInvocation))


def encode_record(record: CanonicalInvocation, *, max_bytes: int) -> bytes:
    """Return the record as UTF-8 JSON. Raises StoreError: TOO_LARGE, CORRUPT if it holds no text."""
    try:
        encoded = canonical_json(asdict(record)).encode("utf-8")
    except UnicodeEncodeError:
        raise StoreError(StoreFault.CORRUPT) from None
    if len(encoded) > max_bytes:
        raise StoreError(StoreFault.TOO_LARGE)
    return encoded


def decode_record(encoded: bytes, *, max_bytes: int) -> CanonicalInvocation:
    """Read a record again. Raises StoreError(CORRUPT) for anything that `encode_record` cannot write."""
    try:
        values = parse_strict_object(encoded.decode("utf-8"), max_bytes=max_bytes)
        if values.keys() != _FIELDS:
            raise ValueError("other fields")
        return CanonicalInvocation(
            run_id=_text(values["run_id"]),
            tool_call_id=_text(values["tool_call_id"]),
            tool_name=ToolName(_text(values["tool_name"])),
            request=_text(values["request"]),
            status=InvocationStatus(_text(values["status"])),
            started_at=_text(values["started_at"]),
            evidence_status=None
            if values["evidence_status"] is None
            else EvidenceStatus(_text(values["evidence_status"])),
            raw_response=_text_or_none(values["raw_response"]),
            agent_result=_text_or_none(values["agent_result"]),
            error_code=None if values["error_code"] is None else ToolErrorCode(_text(values["error_code"])),
            completed_at=_text_or_none(values["completed_at"]),
        )
    except ValueError:  # of the text, the JSON, an enum or the record itself
        raise StoreError(StoreFault.CORRUPT) from None


def is_well_formed_key(run_id: str, tool_call_id: str) -> bool:
    """Whether both ids have the only shape that a key is made of (no separator, no control byte)."""
    return all(TOOL_CALL_ID_PATTERN.fullmatch(part) for part in (run_id, tool_call_id))


def _text(value: JsonValue) -> str:
    if not isinstance(value, str):
        raise ValueError("not a text")
    return value


def _text_or_none(value: JsonValue) -> str | None:
    return None if value is None else _text(value)
