"""Which signals of a plan an observation shows, and the values that a sentence may take from them."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime

from superbiz_cli.adapters.offline.transcript import Fact, Observation, is_new
from superbiz_cli.harness.contract.skill import Condition, PlanStep

MAX_QUOTE_CHARS = 160
_MIN_QUOTE_CHARS = 8
_MIN_WORDS = 3
_HEADER_END = re.compile(r"(?: : |\] (?=[A-Z])|--- )")
_PIECE = re.compile(r'[^"\n“”]+')


@dataclass(frozen=True, slots=True)
class Sighting:
    """A step or signal that was seen: the fact that shows it and where it may be cited."""

    name: str
    observation: Observation
    fact: Fact
    quote: str
    values: Mapping[str, str] = field(default_factory=dict)

    @property
    def is_new(self) -> bool:
        """Whether it began in the searched window: what was there before is background."""
        return is_new(self.fact, self.observation.window)


@dataclass(frozen=True, slots=True)
class Seen:
    """What the steps so far have shown. `ran` holds the names whose step came back."""

    sightings: Mapping[str, Sighting] = field(default_factory=dict)
    ran: frozenset[str] = frozenset()

    def meets(self, condition: Condition) -> bool:
        """Whether `condition` holds. A name under `none` must have been looked for."""
        return (
            all(self._holds(name) for name in condition.all)
            and (not condition.any or any(self._holds(name) for name in condition.any))
            and all(
                name.removesuffix(".new") in self.ran and not self._holds(name) for name in condition.none
            )
        )

    def in_order(self, names: tuple[str, ...]) -> bool:
        """Whether the first occurrences of `names` are known and never go back in time."""
        firsts: list[datetime] = []
        for name in names:
            sighting = self.sightings.get(name)
            if sighting is None or sighting.fact.first is None:
                return False
            firsts.append(sighting.fact.first)
        return firsts == sorted(firsts)

    def _holds(self, name: str) -> bool:
        sighting = self.sightings.get(name.removesuffix(".new"))
        return sighting is not None and (sighting.is_new or not name.endswith(".new"))


def sightings_in(step: PlanStep, observation: Observation) -> dict[str, Sighting]:
    """Return what `observation`, the answer to `step`, shows of the step and its signals."""
    facts = observation.facts() if observation.found else ()
    if not facts:
        return {}
    found = {step.id: Sighting(step.id, observation, facts[0], quote_of(facts[0].text))}
    for signal in step.signals:
        pattern = re.compile(signal.pattern, re.IGNORECASE)
        for fact in facts:
            match = pattern.search(fact.text)
            if match:
                values = {name: value for name, value in match.groupdict().items() if value is not None}
                quote = quote_of(fact.text, match.start(), match.end())
                found[signal.name] = Sighting(signal.name, observation, fact, quote, values)
                break
    return found


def quote_of(text: str, start: int = 0, end: int = 0) -> str:
    """Return a verbatim piece of `text` that is fit to stand between quotation marks.

    One line without a quotation mark and without the header of the line, at most `MAX_QUOTE_CHARS`: the
    piece around text[start:end], or the first sentence if no place is given. "" if nothing
    readable is left.
    """
    pieces = [(match.start(), match.group(0)) for match in _PIECE.finditer(text)]
    at, piece = _piece_at(pieces, start) if end else _telling_piece(pieces)
    wanted = (start - at, end - at) if end else (len(piece), 0)
    begin = max((match.end() for match in _HEADER_END.finditer(piece[: wanted[0]])), default=0)
    if end and wanted[1] - begin > MAX_QUOTE_CHARS:
        begin = wanted[0]
    quote = piece[begin:]
    if len(quote) > MAX_QUOTE_CHARS:
        cut = quote.rfind(" ", MAX_QUOTE_CHARS // 2, MAX_QUOTE_CHARS)
        quote = quote[: cut if cut > 0 else MAX_QUOTE_CHARS]
    quote = quote.strip().lstrip("-*#> ").rstrip(".,;:")  # a list's mark is no part of its sentence
    return quote if len(quote) >= _MIN_QUOTE_CHARS else ""


def _piece_at(pieces: Sequence[tuple[int, str]], start: int) -> tuple[int, str]:
    inside = (piece for piece in pieces if piece[0] <= start < piece[0] + len(piece[1]))
    return next(inside, _telling_piece(pieces))


def _telling_piece(pieces: Sequence[tuple[int, str]]) -> tuple[int, str]:
    """Return the first piece that is a sentence of some words, else the longest."""
    sentences = (piece for piece in pieces if _word_count(piece[1]) >= _MIN_WORDS)
    return next(sentences, max(pieces, key=lambda piece: len(piece[1]), default=(0, "")))


def _word_count(piece: str) -> int:
    """Count words, `key=value` pairs apart: they are the frame of a message."""
    return sum("=" not in word and any(char.isalpha() for char in word) for word in piece.split())
