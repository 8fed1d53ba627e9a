"""Whether one part of a statement (a quotation, a pair, a name, a time, a number) is in the evidence."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta

from superbiz_cli.harness.guard.claims.corpus import Corpus
from superbiz_cli.harness.guard.claims.counting import is_limit
from superbiz_cli.harness.guard.claims.moments import Moment
from superbiz_cli.harness.guard.claims.names import Name, squashed, words
from superbiz_cli.harness.guard.claims.normal import normal
from superbiz_cli.harness.guard.claims.quantities import Hedge, Quantity, quantities
from superbiz_cli.harness.guard.claims.scan import Pair, Scan
from superbiz_cli.harness.guard.claims.tolerance import base_value, is_bare, same_in
from superbiz_cli.harness.guard.claims.units import Dimension
from superbiz_cli.harness.guard.claims.vocabulary import ACRONYMS, IMPLIED_BY, REASON_PHRASES

_WORDS = re.compile(r"[a-z0-9]+|[^\W\d_]")
_ELLIPSIS = re.compile(r"…|\.\.\.")
_EDGE_PUNCTUATION = " .,;:!?\u3002"
_JOINTS = re.compile(r"[/:&+@#]|-(?=\d+$)")
_VERSION_PART = re.compile(r"v\d+")  # the v1 of /v1/quote is no version 1 of anything
_PLAIN_WORD = re.compile(r"(?<![a-z0-9_.-])[a-z]{5,}(?![a-z0-9_-])")
_VALUE_WORD = re.compile(r"=([a-z]{5,})(?![a-z0-9_-])")
_SERIES = re.compile(r"(?P<stem>[A-Za-z][A-Za-z0-9_-]*)-\d+")
_ABOUT_BEFORE = re.compile(r"(?i)(?:about|around|roughly|约|大约|近)\s*$")
_WINDOW_BEFORE = re.compile(
    r"(?i)(?:\b(?:from|since|between|and|until|till|to|before|after|by|window)|[-~从自到至截在于])\s*$"
)
_WINDOW_AFTER = re.compile(r"(?i)\s*(?:[-~起到至之内以前后]|to\b|until\b|and\b)")
_BEGINNING = re.compile(
    r"(?i)(?:\b(?:began|begun|started|starting|beginning|since)|始于|开始于|开始时间)[^.;。]{0,24}$"
)
_NEAR = (timedelta(0), timedelta(seconds=1), timedelta(seconds=-1))
_EXACT = (timedelta(0),)
_ROUNDED = (timedelta(0), timedelta(seconds=30), timedelta(seconds=-30))
_CONTEXT_CHARS = 24


@dataclass(frozen=True, slots=True)
class Founded:
    """What of earlier statements is in the evidence and may be repeated: for the conclusion."""

    quantities: tuple[Quantity, ...] = ()
    moments: tuple[Moment, ...] = ()


class Support:
    """The evidence of one statement, what the user asked, and what earlier statements founded."""

    def __init__(self, stated: Scan, corpus: Corpus, asked: Scan, known: Sequence[Founded]) -> None:
        self._text = stated.text
        self._corpus = corpus
        self._asked = asked
        self._known = known
        self._lowered = corpus.lowered
        self._asked_joined = corpus.reader.read(asked.text).joined

    def has_quote(self, quote: str) -> bool:
        """Whether the quotation stands in one text; an ellipsis stands for what was left out.

        Case, white space and punctuation between words are not compared.
        """
        pieces = [piece.strip(_EDGE_PUNCTUATION) for piece in _ELLIPSIS.split(quote.casefold())]
        pieces = [piece for piece in pieces if piece]
        texts = [text.casefold() for text in (*self._corpus.texts, self._asked.text)]
        if any(_in_order(pieces, text) for text in texts):
            return True
        in_words = [_only_words(piece) for piece in pieces]
        return all(in_words) and any(_in_order(in_words, _only_words(text)) for text in texts)

    def has_pair(self, pair: Pair) -> bool:
        """Whether the key stands in the evidence with this value right behind it."""
        values = self._corpus.followers.get(squashed(pair.key), set())
        if pair.value.casefold() in values:
            return True
        numbers = [other for value in values for other in _whole_number(value)]
        return any(
            same_in(number, other, squashed(pair.key))
            for number in _whole_number(pair.value)
            for other in numbers
        )

    def has_name(self, name: Name) -> bool:
        """Whether the identifier, or every part of it, is known."""
        if len(name.text) == 1:
            return self._has_letter(name)
        if self._knows(name.text):
            return True
        if self._is_other_of_a_series(name.text):
            return False
        parts = [part for part in _JOINTS.split(name.text) if part]
        return len(parts) > 1 and all(map(self._has_part, parts))

    def _has_part(self, part: str) -> bool:
        """Whether one part of a joined name is known: a bare number only as a whole one, not the 2 of 3.2."""
        if part.isdigit():
            number = rf"(?<![A-Za-z0-9])(?<!\d[.,]){part}(?![A-Za-z0-9])(?![.,]\d)"
            return re.search(number, self._lowered) is not None
        return self._reads(part.casefold()) if _VERSION_PART.fullmatch(part) else self._knows(part)

    def misspelled(self) -> Iterator[str]:
        """Yield the plain words that are a value but for one inner letter: "mkunz" for "mkurz".

        A word that stands in the evidence or the question is none, nor is one with another ending.
        """
        values = set(_VALUE_WORD.findall(self._lowered))
        known = set(_PLAIN_WORD.findall(f"{self._lowered} {self._asked.text.casefold()}"))
        for word in dict.fromkeys(_PLAIN_WORD.findall(self._text.casefold())):
            if word not in known and any(_is_one_letter_off(word, value) for value in values):
                yield word

    def _is_other_of_a_series(self, text: str) -> bool:
        """Whether the evidence names others of the same series ("worker-3" for "worker-4")."""
        series = _SERIES.fullmatch(text)
        if series is None:
            return False
        stem = re.escape(series["stem"].casefold())
        return re.search(rf"(?<![a-z0-9]){stem}-\d+(?![a-z0-9])", self._lowered) is not None

    def _has_letter(self, name: Name) -> bool:
        """A single letter ("zone C") is wrong only where the evidence names another one after that word."""
        before = words(self._text[: name.start])
        others = self._corpus.followers.get(squashed(before[-1]), set()) if before else set()
        letters = {other for other in others if len(other) == 1}
        return not letters or name.text.casefold() in letters

    def _knows(self, text: str) -> bool:
        folded = text.casefold()
        if any(self._reads(form) for form in _forms(folded)):
            return True
        if re.fullmatch(r"[1-5]xx", folded):
            return self._has_class(folded[0])
        implied = IMPLIED_BY.get(folded)
        if implied is not None and re.search(implied, self._lowered):
            return True
        phrases = (code for code, phrase in REASON_PHRASES.items() if folded in phrase.split())
        return any(self._has_number(code) for code in phrases)

    def _reads(self, form: str) -> bool:
        compact = squashed(form)
        if form in ACRONYMS or compact in self._corpus.joined or compact in self._asked_joined:
            return True
        return re.search(rf"(?<![a-z0-9]){re.escape(form)}(?![a-z0-9])", self._lowered) is not None

    def _has_number(self, digits: str) -> bool:
        return any(number.quantity.text == digits for number in self._corpus.numbers)

    def _has_class(self, first: str) -> bool:
        numbers = (number.quantity for number in self._corpus.numbers)
        return any(is_bare(q) and 100 <= q.value < 600 and str(q.value)[0] == first for q in numbers)

    def has_moment(self, moment: Moment) -> bool:
        """Whether the time is that of an event, of the searched window, or written in a text."""
        before = self._text[max(0, moment.start - _CONTEXT_CHARS) : moment.start]
        instants = [*self._corpus.instants, *self._corpus.minutes]
        if _WINDOW_BEFORE.search(before) or _WINDOW_AFTER.match(self._text, moment.end):
            instants += [end for window in self._corpus.windows for end in window]
        is_rounded = moment.second is None and _ABOUT_BEFORE.search(before) is not None
        shifts = _ROUNDED if is_rounded else _EXACT
        if any(_is_read_as(moment, at + shift) for at in instants for shift in shifts):
            return True
        if _BEGINNING.search(self._text[: moment.start]) and any(
            _is_read_as(moment, at + shift) for at in self._beginnings() for shift in _NEAR
        ):
            return True
        known = (other for founded in self._known for other in founded.moments)
        written = (*self._corpus.written_times, *self._asked.moments, *known)
        return any(moment.is_same_as(other) for other in written)

    def _beginnings(self) -> Iterator[datetime]:
        """Yield when something began that an event ends and gives the length of."""
        for number in self._corpus.numbers:
            at = self._corpus.records[number.record].at if number.record >= 0 else None
            if at is not None and number.quantity.unit.dimension is Dimension.TIME:
                yield at - timedelta(seconds=float(base_value(number.quantity)))

    def has_number(self, quantity: Quantity) -> bool:
        """Whether the number is written in the evidence, in the question, or founded before."""
        if is_limit(quantity, self._text):
            quantity = replace(quantity, hedge=Hedge.NONE)
        if any(same_in(quantity, number.quantity, number.key) for number in self._corpus.numbers):
            return True
        known = (other for founded in self._known for other in founded.quantities)
        if any(same_in(quantity, other) for other in (*self._asked.quantities, *known)):
            return True
        if not is_bare(quantity):
            return False
        digits = quantity.text.lstrip("#+").replace(",", "")
        is_part = digits in self._corpus.long_digits or digits in self._corpus.versions
        return is_part or (quantity.value == 0 and self._corpus.is_empty)


def _is_one_letter_off(word: str, value: str) -> bool:
    if len(word) != len(value) or word[0] != value[0] or word[-1] != value[-1]:
        return False
    return sum(left != right for left, right in zip(word, value, strict=True)) == 1


def _forms(folded: str) -> tuple[str, ...]:
    """Return a name as written, without a plural s, and without the v of a version."""
    return folded, folded.removesuffix("s"), re.sub(r"^v(?=\d)", "", folded)


def _only_words(text: str) -> str:
    """Return the words of a text with blanks around, without the punctuation between them; "" for none."""
    found = _WORDS.findall(text)
    return f" {' '.join(found)} " if found else ""


def _in_order(pieces: Sequence[str], text: str) -> bool:
    position = 0
    for piece in pieces:
        position = text.find(piece, position)
        if position < 0:
            return False
        position += len(piece)
    return True


def _whole_number(text: str) -> tuple[Quantity, ...]:
    clean = normal(text)
    found = quantities(clean)
    return tuple(found) if len(found) == 1 and found[0].text == clean else ()


def _is_read_as(moment: Moment, at: datetime) -> bool:
    """Whether `at` is the written time: in the stated zone, else as shown or in a zone named nearby."""
    if moment.zones:
        return any(moment.is_of(at.astimezone(zone)) for zone in moment.zones)
    return moment.is_of(at) or any(moment.is_of(at.astimezone(zone)) for zone in moment.nearby)
