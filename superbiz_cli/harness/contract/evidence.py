"""Evidence rebuilt from the canonical store, never from the model's words."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime

from superbiz_cli.harness.contract.status import EvidenceStatus
from superbiz_cli.harness.contract.strict import JsonValue
from superbiz_cli.harness.contract.tool_call import ControlView, SourceType, ToolName


@dataclass(frozen=True, slots=True)
class IncidentWindow:
    """The time that a question is about. Both ends are aware; `timezone` is an IANA name.

    `since` is None when the user named no beginning: each tool then applies its own lookback. `notes`
    are sentences for the reader on what of the question's time was not understood or not used.
    """

    until: datetime
    since: datetime | None = None
    timezone: str = "UTC"
    notes: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class ReadResult:
    """An agent result read again, strictly, by the tool that wrote it.

    `source` names the source (<= 160 characters), `scope` says in words what the query covered and
    `summary` what it found (each <= 320), `excerpt` quotes the most telling line (<= 320, "" when
    nothing was found). `payload` is the whole parsed agent result, for the claim check.
    """

    tool_call_id: str
    source: str
    scope: str
    summary: str
    excerpt: str
    control: ControlView
    payload: Mapping[str, JsonValue] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class VerifiedEvidence:
    """One cited tool call that the evidence guard has found, checked and re-read.

    `ref` is the footnote number (from 1, in order of first citation). `payload` is the parsed agent
    result, `request` the effective request as the canonical record keeps it (bound SQL parameters
    are there and nowhere else); both are for the guards, never for the reader.
    """

    ref: int
    tool_call_id: str
    tool_name: ToolName
    source_type: SourceType
    evidence_status: EvidenceStatus
    source: str
    scope: str
    summary: str
    excerpt: str
    payload: Mapping[str, JsonValue] = field(default_factory=dict)
    request: Mapping[str, JsonValue] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class ObservedFact:
    """One completed call in the bounded snapshot of a collection. An empty query is a fact too."""

    tool_call_id: str
    tool_name: ToolName
    source_type: SourceType
    evidence_status: EvidenceStatus
    source: str
    scope: str
    summary: str
    excerpt: str = ""


@dataclass(frozen=True, slots=True)
class EvidenceSnapshot:
    """What a collection really saw (<= 12 facts), and what of it could not be verified."""

    facts: tuple[ObservedFact, ...] = ()
    limitations: tuple[str, ...] = ()
