"""How one file is understood: wrapper, kind of lines, and where its lines state their time.

The profile is learned from a sample of the file's beginning and locks the few loci (a shape of time at
a place in the line) that head its events.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from superbiz_cli.adapters.log_files.header import Header, end_of_time, find_header
from superbiz_cli.adapters.log_files.stamps import YEARLESS, Lacks, Shape, Stamp, Zones

SAMPLE_LINES = 1_000
_ANCHOR = re.compile(
    rb"(?:\xef\xbb\xbf)?[\[(<\"'*#|]{0,3}(?:<\d{1,3}>)?(?:1 )?[\[(]?"
    rb"(?:\[?(?:TRACE|DEBUG|INFO|NOTICE|WARN|WARNING|ERROR|FATAL|CRITICAL|SEVERE|[A-Z])\]?"
    rb"[ :|,-]{0,3}[\[(]?)?"
)
_ANCHOR_SOURCE = _ANCHOR.pattern
_ACCESS_LEAD = re.compile(rb"\S+ +\S+ +\S+ +(?:\S+ +)?\[")
_TIME_KEY = rb"(?:t|ts|time|timestamp|@timestamp|date|datetime|at|logged_at)=[\"']?"
_LOGFMT_LEAD = re.compile(rb"(?:^|.*\s)" + _TIME_KEY)
_KEY_START = re.compile(rb"[A-Za-z_@][\w.@-]*=")


@dataclass(frozen=True, slots=True)
class Locus:
    """A shape of time at a place in the line: behind `words` words. `anchored` is the line's beginning."""

    shape: Shape
    words: int
    anchored: bool
    logfmt: bool

    @property
    def name(self) -> str:
        """The name as `logs inspect` shows it."""
        place = "logfmt" if self.logfmt else ("" if self.anchored else f" @{self.words}")
        return f"{self.shape.name}{' ' + place if place and self.logfmt else place}"


@dataclass(frozen=True, slots=True)
class LineHeader:
    """The header found in one line. `start` and `end` bound the time in it."""

    stamp: Stamp
    start: int
    end: int


class HeaderMatcher:
    """Recognises the header lines of one file by its locked loci, and learns a late one."""

    def __init__(self, loci: Sequence[Locus], zones: Zones) -> None:
        self._zones = zones
        self._loci: list[tuple[Locus, re.Pattern[bytes]]] = []
        for locus in loci:
            self.lock(locus)

    @property
    def names(self) -> list[str]:
        """The names of the locked loci."""
        return sorted({locus.name for locus, _ in self._loci})

    @property
    def lacks(self) -> Lacks:
        """What must be supplied: the date of bare times, or the year of any other locus."""
        names = [locus.shape.name for locus, _ in self._loci]
        if names[:1] == ["time"]:
            return Lacks.DATE
        return Lacks.YEAR if any(name in YEARLESS for name in names) else Lacks.NOTHING

    def __len__(self) -> int:
        """The number of locked loci."""
        return len(self._loci)

    @property
    def detector(self) -> bytes:
        """A pattern without groups that matches where a line begins with one of the locked loci."""
        return b"(?:" + b"|".join(_ungrouped(pattern.pattern) for _, pattern in self._loci) + b")"

    @property
    def knows_dates(self) -> bool:
        """Whether every locked locus states a date, not only a time of day."""
        return bool(self._loci) and all(locus.shape.name != "time" for locus, _ in self._loci)

    def locus_in(self, line: bytes) -> Locus | None:
        """Return the locked locus that heads `line`, if any."""
        for locus, pattern in self._loci:
            found = pattern.match(line)
            if found is not None and locus.shape.read(found, self._zones) is not None:
                return locus
        return None

    def match(self, line: bytes) -> LineHeader | None:
        """Return the header of `line`, None if it continues the event before."""
        for locus, pattern in self._loci:
            found = pattern.match(line)
            if found is None:
                continue
            stamp = locus.shape.read(found, self._zones)
            if stamp is not None:
                return LineHeader(stamp, found.start("t"), end_of_time(found, stamp, "t"))
        return self._late(line)

    def _late(self, line: bytes) -> LineHeader | None:
        """Look for a header of another shape: only a full date at the very beginning of the line."""
        if not line or line[0] in b" \t}" or not MAY_START.match(line):
            return None
        header = find_header(line, self._zones)
        if header is None or header.stamp.lacks is Lacks.DATE or header.shape.name == "epoch":
            return None
        locus = locus_of(line, header)
        if not locus.anchored:
            return None
        self.lock(locus)
        return LineHeader(header.stamp, header.start, header.end)

    def lock(self, locus: Locus) -> None:
        """Add a locus to those that are recognised."""
        if locus.logfmt:
            source = rb"(?=[A-Za-z_@][\w.@-]*=)(?:.*?\s)??" + _TIME_KEY
        elif locus.anchored:
            source = _ANCHOR_SOURCE
        else:
            source = rb"(?:[^\s]+[ \t]+){%d}[^\s]{0,40}?" % locus.words
        self._loci.append((locus, re.compile(source + rb"(?P<t>" + locus.shape.source + rb")")))


MAY_START = re.compile(rb"[\[(<\"'*#]{0,3}(?:\d|<\d|[A-Z][a-z]{2}[ -]|[IWEF]\d{4} |@4)")


def _ungrouped(source: bytes) -> bytes:
    return re.sub(rb"\(\?P<\w+>", b"(?:", source).replace(b"(?P=s)", b"[-/. ]")


def locus_of(line: bytes, header: Header) -> Locus:
    """Return the place of a found time in its line."""
    before = line[: header.start]
    logfmt = bool(_KEY_START.match(line) and _LOGFMT_LEAD.fullmatch(before))
    anchored = not logfmt and _ANCHOR.fullmatch(before) is not None
    words = len(before.split()) - (0 if not before or before[-1:].isspace() else 1)
    return Locus(header.shape, 0 if anchored or logfmt else words, anchored, logfmt)


def learn_loci(lines: Sequence[bytes], zones: Zones) -> list[Locus]:
    """Return the loci that head the events of the sample, the most frequent first.

    A time at the beginning of a line is believed at once; one further in only if enough lines agree,
    because messages contain times too. Bare times and bare numbers need most lines.
    """
    votes: Counter[Locus] = Counter()
    stamped = 0
    unindented = 0
    known = HeaderMatcher((), zones)
    for line in lines:
        if not line.strip() or line[:1] in b" \t":
            continue
        unindented += 1
        locus = known.locus_in(line)
        if locus is None:
            header = find_header(line, zones)
            if header is None:
                continue
            locus = locus_of(line, header)
            if locus.anchored:
                known.lock(locus)
        stamped += 1
        votes[locus] += 1
    full = [
        locus
        for locus, count in votes.most_common()
        if locus.shape.name not in {"time", "epoch"}
        and (locus.anchored or locus.logfmt or _is_enough(locus, count, stamped, lines))
    ]
    weak = [
        locus
        for locus, count in votes.most_common()
        if locus.shape.name in {"time", "epoch"}
        and count >= max(1, unindented * (0.15 if locus.anchored else 0.5))
    ]
    if not full or (weak and votes[weak[0]] > 4 * votes[full[0]]):
        return weak or full
    return full


def _is_enough(locus: Locus, count: int, stamped: int, lines: Sequence[bytes]) -> bool:
    if locus.words > 12:
        return False
    if count >= max(1, stamped * 0.2):
        return True
    return any(_ACCESS_LEAD.match(line) for line in lines[:200]) and locus.words in {3, 4}
