"""Evidence rebuilt from the canonical store, never from the model's words."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime

from superbiz_cli.harness.contract.status import EvidenceStatus
from superbiz_cli.harness.contract.strict import JsonValue
from superbiz_cli.harness.contract.tool_call import ControlView, SourceType, ToolName

LOWER_BOUND = "match_count is a lower bound"  # among the limitations of a result of query_logs


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
    nothing was found), `quotable` holds what may be quoted instead (each <= 320). `payload` is the
    whole parsed agent result, for the claim check.
    """

    tool_call_id: str
    source: str
    scope: str
    summary: str
    excerpt: str
    control: ControlView
    payload: Mapping[str, JsonValue] = field(default_factory=dict)
    quotable: tuple[str, ...] = ()


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
    quotable: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class LogSearch:
    """What a search of logs covered. `query` is redacted, "" for every event; times are aware."""

    topic: str
    query: str
    start: datetime
    end: datetime


@dataclass(frozen=True, slots=True)
class LogPattern:
    """Log events of one shape: how many, from when to when, and what they say on one line.

    `is_new` says whether the equally long time before held none, None where nobody looked. Where
    `is_sampled` there are at least `count`, and the first may not be the first of all.
    """

    count: int
    first: datetime
    last: datetime
    message: str
    level: str | None = None
    service: str | None = None
    is_new: bool | None = None
    is_sampled: bool = False


@dataclass(frozen=True, slots=True)
class ObservedFact:
    """Something that a completed call showed; an empty query is a fact too.

    `search` is what a call of query_logs covered, `pattern` the one of its patterns that this fact is
    about.
    """

    tool_call_id: str
    tool_name: ToolName
    source_type: SourceType
    evidence_status: EvidenceStatus
    source: str
    scope: str
    summary: str
    excerpt: str = ""
    search: LogSearch | None = None
    pattern: LogPattern | None = None


@dataclass(frozen=True, slots=True)
class EvidenceSnapshot:
    """What a collection really saw (<= 12 facts, the most telling first), and what could not be verified.

    `calls` holds one fact for each verified call, also where `facts` has nothing of it. `remarks` say in
    the words of the sources what they could not read.
    """

    facts: tuple[ObservedFact, ...] = ()
    limitations: tuple[str, ...] = ()
    calls: tuple[ObservedFact, ...] = ()
    remarks: tuple[str, ...] = ()
