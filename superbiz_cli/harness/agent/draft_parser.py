"""Reading the agent's last message: one JSON document in one of four known wrappers, or a named fault.

Never a search for braces: whatever else stands in the message makes it invalid.
"""

from __future__ import annotations

from pydantic import ValidationError

from superbiz_cli.harness.agent.outcome import DraftFault
from superbiz_cli.harness.contract.draft import Draft
from superbiz_cli.harness.contract.limits import utf8_size
from superbiz_cli.harness.contract.strict import StrictJsonError, parse_strict_json
from superbiz_cli.harness.contract.unwrap import unwrap_json

ROOT_PATH = "$"
MAX_PATH_CHARS = 120
CUT_OFF_REASONS = frozenset({"length", "content_filter"})


class DraftRefused(Exception):
    """The message is no draft. `path` is the first offending JSON path, for SCHEMA_INVALID only.

    The path can hold a field name that the model invented: it goes back to the model, nowhere else.
    """

    def __init__(self, fault: DraftFault, path: str | None = None) -> None:
        super().__init__(fault.value)
        self.fault = fault
        self.path = path


def parse_draft(text: str, *, max_bytes: int, finish_reason: str | None = None) -> Draft:
    """Return the draft that `text` is.

    The wrappers that `unwrap_json` knows are taken off. Raises DraftRefused: EMPTY_DRAFT if nothing
    is left, INVALID_JSON if that is not one strict document of at most `max_bytes` UTF-8
    bytes or the provider cut it off (`finish_reason` length or content_filter), SCHEMA_INVALID if
    it has another shape.
    """
    document = unwrap_json(text)
    if not document:
        raise DraftRefused(DraftFault.EMPTY_DRAFT)
    if finish_reason in CUT_OFF_REASONS or utf8_size(document) > max_bytes:
        raise DraftRefused(DraftFault.INVALID_JSON)
    try:
        value = parse_strict_json(document)
    except StrictJsonError:
        raise DraftRefused(DraftFault.INVALID_JSON) from None
    if value == {}:
        raise DraftRefused(DraftFault.EMPTY_DRAFT)
    try:
        return Draft.model_validate_json(document)
    except ValidationError as error:
        raise DraftRefused(DraftFault.SCHEMA_INVALID, _first_path(error)) from None


def _first_path(error: ValidationError) -> str:
    location = error.errors(include_url=False, include_context=False, include_input=False)[0]["loc"]
    path = "".join(f"[{part}]" if isinstance(part, int) else f".{part}" for part in location)
    return path.removeprefix(".")[:MAX_PATH_CHARS] or ROOT_PATH
