"""Scopes: what a request would ask, as an identity that tells repetitions.

Which requests are the same is the tool's knowledge: `EvidenceTool.scope_key` fills defaults and
folds what its back end ignores. Here the key becomes a fingerprint, so that the tracker holds no
query text.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TypeVar

from superbiz_cli.harness.contract.strict import JsonValue, canonical_json
from superbiz_cli.harness.contract.tool_call import ToolName
from superbiz_cli.harness.tool.port import EvidenceTool

RequestT = TypeVar("RequestT")


@dataclass(frozen=True, slots=True)
class Scope:
    """Fingerprint of a request: equal for requests between which the back end sees no difference.

    `digest` is the SHA-256 of the normalized scope, or of the raw input where the tool rejected it
    (`is_rejected`): such an input has no effective request that could be normalized.
    """

    tool: ToolName
    digest: str
    is_rejected: bool = False


def scope_of(tool: EvidenceTool[RequestT], request: RequestT) -> Scope:
    """Return the scope of an effective request."""
    return Scope(tool.name, _sha256(tool.scope_key(request)))


def rejected_scope(tool: ToolName, payload: Mapping[str, JsonValue]) -> Scope:
    """Return the identity of an input that the tool rejected; key order and spacing do not count."""
    return Scope(tool, _sha256(canonical_json(payload)), is_rejected=True)


def _sha256(text: str) -> str:
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()
