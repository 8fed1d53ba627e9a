"""The evidence as the claim check reads it: texts, events, numbers with their keys, instants, counts."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from decimal import Decimal
from typing import assert_never

from superbiz_cli.harness.contract.evidence import LOWER_BOUND, VerifiedEvidence
from superbiz_cli.harness.contract.status import EvidenceStatus
from superbiz_cli.harness.contract.strict import JsonValue
from superbiz_cli.harness.contract.tool_call import SourceType
from superbiz_cli.harness.guard.claims.moments import Moment
from superbiz_cli.harness.guard.claims.names import squashed
from superbiz_cli.harness.guard.claims.normal import normal
from superbiz_cli.harness.guard.claims.quantities import Quantity, plain_quantities
from superbiz_cli.harness.guard.claims.reading import Reader


@dataclass(frozen=True, slots=True)
class Keyed:
    """A number of the evidence, the words before and after it, and the event or row that it is from."""

    quantity: Quantity
    key: str
    record: int
    after: str = ""


@dataclass(frozen=True, slots=True)
class Record:
    """One event, row or passage. `at` is None where there is no time."""

    text: str
    at: datetime | None = None


@dataclass(frozen=True, slots=True)
class PatternCount:
    """A log pattern: how many events it stands for and what they look like."""

    count: int
    text: str
    first: datetime | None
    last: datetime | None


@dataclass(slots=True)
class Corpus:
    """The cited evidence of one statement.

    `is_complete` tells that every matching event is among `records`, so that they can be counted.
    """

    reader: Reader = field(default_factory=Reader)
    texts: list[str] = field(default_factory=list)
    records: list[Record] = field(default_factory=list)
    patterns: list[PatternCount] = field(default_factory=list)
    numbers: list[Keyed] = field(default_factory=list)
    instants: list[datetime] = field(default_factory=list)
    minutes: list[datetime] = field(default_factory=list)
    written_times: list[Moment] = field(default_factory=list)
    windows: list[tuple[datetime, datetime]] = field(default_factory=list)
    totals: list[int] = field(default_factory=list)
    peaks: list[int] = field(default_factory=list)
    at_least: list[int] = field(default_factory=list)  # counts that are lower bounds
    services: set[str] = field(default_factory=set)
    is_complete: bool = True
    is_empty: bool = False
    joined: set[str] = field(default_factory=set)
    long_digits: set[str] = field(default_factory=set)
    versions: set[str] = field(default_factory=set)
    followers: dict[str, set[str]] = field(default_factory=dict)

    @property
    def lowered(self) -> str:
        """All texts, case folded, one a line."""
        return "\n".join(self.texts).casefold()

    def add_text(self, text: str, *, record: int = -1) -> None:
        """Read a text of the evidence."""
        reading = self.reader.read(text)
        self.texts.append(reading.text)
        self.written_times += reading.moments
        self.numbers += [Keyed(quantity, key, record, after) for quantity, key, after in reading.numbers]
        self.joined |= reading.joined
        self.long_digits |= reading.long_digits
        self.versions |= reading.versions
        for word, values in reading.followers.items():
            self.followers.setdefault(word, set()).update(values)

    def add_number(self, value: JsonValue, key: str, *, record: int) -> None:
        """Read a number that stands in a cell."""
        number = Decimal(str(value))
        for quantity in plain_quantities(f"{number:f}"):
            self.numbers.append(Keyed(quantity, key.casefold(), record))

    def follow(self, key: str, value: JsonValue) -> None:
        """Note that `value` stands under `key`, as in a row."""
        self.followers.setdefault(squashed(key), set()).add(str(value).casefold())


def corpus_of(evidence: Iterable[VerifiedEvidence], reader: Reader | None = None) -> Corpus:
    """Read the payloads of `evidence`; internal ids and counts for the harness are left out."""
    corpus = Corpus(reader=reader or Reader())
    items = list(evidence)
    corpus.is_empty = all(item.evidence_status is EvidenceStatus.NO_EVIDENCE for item in items)
    for item in items:
        corpus.add_text(item.source)
        _add_scope(corpus, item.payload.get("scope"))
        for parameter in _list(item.request.get("params")):
            corpus.add_text(str(parameter))
        match item.source_type:
            case SourceType.LOGS:
                _add_logs(corpus, item.payload)
            case SourceType.MYSQL:
                _add_rows(corpus, item.payload)
            case SourceType.KNOWLEDGE:
                _add_passages(corpus, item.payload)
            case _:
                assert_never(item.source_type)
    return corpus


def _add_scope(corpus: Corpus, scope: JsonValue) -> None:
    if not isinstance(scope, dict):
        return
    for key, value in scope.items():
        if key not in ("start", "end"):
            corpus.add_text(str(value))
    start, end = _instant(scope.get("start")), _instant(scope.get("end"))
    if start and end:
        corpus.windows.append((start, end))


def _add_logs(corpus: Corpus, payload: Mapping[str, JsonValue]) -> None:
    total = payload.get("match_count")
    events = [event for event in _list(payload.get("events")) if isinstance(event, dict)]
    if isinstance(total, int):
        is_bound = LOWER_BOUND in _list(payload.get("limitations"))
        (corpus.at_least if is_bound else corpus.totals).append(total)
        corpus.is_complete = corpus.is_complete and total == len(events)
    for event in events:
        record = len(corpus.records)
        text = _joined(event, "level", "service", "message")
        at = _instant(event.get("timestamp"))
        corpus.records.append(Record(normal(text), at))
        corpus.add_text(text, record=record)
        if at:
            corpus.instants.append(at)
        if service := event.get("service"):
            corpus.services.add(str(service))
    for pattern in _list(payload.get("patterns")):
        if isinstance(pattern, dict):
            _add_pattern(corpus, pattern)
    for limitation in _list(payload.get("limitations")):
        corpus.add_text(str(limitation))


def _add_pattern(corpus: Corpus, pattern: Mapping[str, JsonValue]) -> None:
    text = _joined(pattern, "level", "service", "example")
    corpus.add_text(text)
    first, last = _instant(pattern.get("first_seen")), _instant(pattern.get("last_seen"))
    corpus.instants += [moment for moment in (first, last) if moment]
    if pattern.get("is_sampled") is True:
        corpus.at_least.append(_int(pattern.get("count")))
        return
    corpus.minutes += [moment for moment in (_instant(pattern.get("peak_minute")),) if moment]
    corpus.patterns.append(PatternCount(_int(pattern.get("count")), normal(text), first, last))
    corpus.peaks.append(_int(pattern.get("peak_count")))
    if service := pattern.get("service"):
        corpus.services.add(str(service))


def _add_rows(corpus: Corpus, payload: Mapping[str, JsonValue]) -> None:
    columns = [
        str(column.get("name")) for column in _list(payload.get("columns")) if isinstance(column, dict)
    ]
    for column in columns:
        corpus.add_text(column)
    rows = [row for row in _list(payload.get("rows")) if isinstance(row, list)]
    if payload.get("truncated") is True:
        corpus.is_complete = False
    else:
        corpus.totals.append(len(rows))
    for row in rows:
        record = len(corpus.records)
        cells = dict(zip(columns, row, strict=False))
        corpus.records.append(Record(normal(" ".join(f"{key} {cell}" for key, cell in cells.items()))))
        for key, cell in cells.items():
            corpus.follow(key, cell)
            if isinstance(cell, (int, float)) and not isinstance(cell, bool):
                corpus.add_number(cell, key, record=record)
            elif cell is not None:
                corpus.add_text(f"{key} {cell}", record=record)


def _add_passages(corpus: Corpus, payload: Mapping[str, JsonValue]) -> None:
    passages = [passage for passage in _list(payload.get("evidence")) if isinstance(passage, dict)]
    corpus.totals.append(len(passages))
    for passage in passages:
        record = len(corpus.records)
        text = _joined(passage, "doc_id", "title", "section", "excerpt")
        corpus.records.append(Record(normal(text)))
        corpus.add_text(text, record=record)


def window_length(window: tuple[datetime, datetime]) -> timedelta:
    """Return how long a searched window is."""
    return window[1] - window[0]


def _joined(fields: Mapping[str, JsonValue], *keys: str) -> str:
    return " ".join(str(fields[key]) for key in keys if fields.get(key) is not None)


def _list(value: JsonValue) -> Sequence[JsonValue]:
    return value if isinstance(value, list) else ()


def _int(value: JsonValue) -> int:
    return value if isinstance(value, int) else 0


def _instant(value: JsonValue) -> datetime | None:
    try:
        moment = datetime.fromisoformat(str(value))
    except ValueError:
        return None
    return moment if moment.tzinfo else None
