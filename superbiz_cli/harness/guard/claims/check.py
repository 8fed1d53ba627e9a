"""The claim check: what a statement says in figures, names, times and quotes must be in its evidence."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta

from superbiz_cli.harness.contract.draft import Draft
from superbiz_cli.harness.contract.evidence import VerifiedEvidence
from superbiz_cli.harness.contract.violation import Violation, ViolationCode
from superbiz_cli.harness.guard.claims.corpus import Corpus, corpus_of
from superbiz_cli.harness.guard.claims.counting import is_counted, is_limit
from superbiz_cli.harness.guard.claims.derivations import derivation_of
from superbiz_cli.harness.guard.claims.moments import Moment
from superbiz_cli.harness.guard.claims.names import Name, squashed, words
from superbiz_cli.harness.guard.claims.normal import normal
from superbiz_cli.harness.guard.claims.quantities import Hedge, Quantity, quantities
from superbiz_cli.harness.guard.claims.reading import Reader
from superbiz_cli.harness.guard.claims.scan import Pair, Scan, scan
from superbiz_cli.harness.guard.claims.stated import Stated
from superbiz_cli.harness.guard.claims.tolerance import is_bare, same_in
from superbiz_cli.harness.guard.claims.vocabulary import ACRONYMS, IMPLIED_BY, REASON_PHRASES

MAX_STATEMENT_CHARS = 4_000
MAX_FIGURES = 120
_WORDS = re.compile(r"[a-z0-9]+|[\u3400-\u9fff]")
_WINDOW_BEFORE = re.compile(
    r"(?i)(?:\b(?:from|since|between|and|until|till|to|before|after|by|window)|[-~从自到至截在于])\s*$"
)
_WINDOW_AFTER = re.compile(r"(?i)\s*(?:[-~起到至之内以前后]|to\b|until\b|and\b)")
_EDGE_PUNCTUATION = " .,;:!?\u3002"


@dataclass(frozen=True, slots=True)
class Unfounded:
    """Something that a statement says and its evidence does not hold."""

    kind: str
    text: str


@dataclass(frozen=True, slots=True)
class Founded:
    """What of earlier statements is in the evidence and may be repeated: for the conclusion."""

    quantities: tuple[Quantity, ...] = ()
    moments: tuple[Moment, ...] = ()


def check_claims(
    draft: Draft, evidence: Sequence[VerifiedEvidence], ref_of: Mapping[str, int], *, query: str
) -> tuple[Violation, ...]:
    """Return CLAIM_NOT_IN_EVIDENCE for each analysis item, and the conclusion, that says too much.

    An item is held against what it cites, the conclusion against what its items cite. What the user
    wrote in `query` may be repeated as it is.
    """
    by_ref = {item.ref: item for item in evidence}
    asked = scan(query)
    reader = Reader()
    cited: dict[str | None, list[VerifiedEvidence]] = {}
    founded: dict[str | None, Founded] = {}
    violations: list[Violation] = []
    for index, item in enumerate(draft.analysis or ()):
        refs = dict.fromkeys(
            ref_of[call_id] for call_id in item.tool_call_ids or () if call_id and call_id in ref_of
        )
        cited[item.analysis_id] = [by_ref[ref] for ref in refs]
        unfounded, kept = examine(item.text or "", corpus_of(cited[item.analysis_id], reader), asked)
        founded[item.analysis_id] = kept
        if unfounded:
            violations.append(Violation(ViolationCode.CLAIM_NOT_IN_EVIDENCE, f"analysis[{index}].text"))
    if draft.conclusion is not None:
        ids = dict.fromkeys(draft.conclusion.based_on_analysis_ids or ())
        union = {item.ref: item for analysis_id in ids for item in cited.get(analysis_id, ())}
        known = [founded[analysis_id] for analysis_id in ids if analysis_id in founded]
        corpus = corpus_of(union.values(), reader)
        unfounded, _ = examine(draft.conclusion.text or "", corpus, asked, known=known)
        if unfounded:
            violations.append(Violation(ViolationCode.CLAIM_NOT_IN_EVIDENCE, "conclusion.text"))
    return tuple(violations)


def examine(
    text: str, corpus: Corpus, asked: Scan, *, known: Sequence[Founded] = ()
) -> tuple[list[Unfounded], Founded]:
    """Return what of `text` is not in `corpus`, and the numbers and times that are.

    A text that is too long to be a statement, or holds too many figures, is refused as a whole.
    """
    if len(text) > MAX_STATEMENT_CHARS:
        return [Unfounded("length", text[:40])], Founded()
    stated = scan(text)
    if len(stated.quantities) + len(stated.moments) + len(stated.names) > MAX_FIGURES:
        return [Unfounded("figures", text[:40])], Founded()
    check = _Check(stated, corpus, asked, tuple(known))
    unfounded = [*check.quotes(), *check.pairs(), *check.names(), *check.moments()]
    wrong, right = check.quantities()
    unfounded += wrong
    return unfounded, Founded(quantities=right, moments=check.good_moments())


class _Check:
    def __init__(self, stated: Scan, corpus: Corpus, asked: Scan, known: tuple[Founded, ...]) -> None:
        self.stated = stated
        self.corpus = corpus
        self.asked = asked
        self.known = known
        self.lowered = corpus.lowered
        self.asked_joined = corpus.reader.read(asked.text).joined

    # --- quotations ---------------------------------------------------------------------------

    def quotes(self) -> Iterator[Unfounded]:
        for quote in self.stated.quotes:
            if not self._is_quoted(quote):
                yield Unfounded("quote", quote)

    def _is_quoted(self, quote: str) -> bool:
        pieces = [piece.strip(_EDGE_PUNCTUATION) for piece in re.split(r"…|\.\.\.", quote.casefold())]
        pieces = [piece for piece in pieces if piece]
        texts = [text.casefold() for text in (*self.corpus.texts, self.asked.text)]
        if any(_in_order(pieces, text) for text in texts):
            return True
        in_words = [_only_words(piece) for piece in pieces]
        return all(in_words) and any(_in_order(in_words, _only_words(text)) for text in texts)

    # --- key=value ----------------------------------------------------------------------------

    def pairs(self) -> Iterator[Unfounded]:
        for pair in self.stated.pairs:
            if not self._has_pair(pair):
                yield Unfounded("pair", pair.text)

    def _has_pair(self, pair: Pair) -> bool:
        values = self.corpus.followers.get(squashed(pair.key), set())
        wanted = pair.value.casefold()
        if wanted in values:
            return True
        (number,) = _whole_number(pair.value) or (None,)
        if number is None:
            return False
        found = (other for value in values for other in _whole_number(value))
        return any(same_in(number, other, squashed(pair.key)) for other in found)

    # --- identifiers --------------------------------------------------------------------------

    def names(self) -> Iterator[Unfounded]:
        for name in self.stated.names:
            if not self._has_name(name):
                yield Unfounded("name", name.text)

    def _has_name(self, name: Name) -> bool:
        if len(name.text) == 1:
            return self._has_letter(name)
        return self._knows(name.text) or self._knows_parts(name.text)

    def _has_letter(self, name: Name) -> bool:
        """A single letter ("zone C") is wrong only where the evidence names another one after that word."""
        before = words(self.stated.text[: name.start])
        others = self.corpus.followers.get(squashed(before[-1]), set()) if before else set()
        letters = {other for other in others if len(other) == 1}
        return not letters or name.text.casefold() in letters

    def _knows_parts(self, text: str) -> bool:
        parts = [part for part in re.split(r"[/:&+@#]|-(?=\d+$)", text) if part]
        return len(parts) > 1 and all(self._knows(part) for part in parts)

    def _knows(self, text: str) -> bool:
        folded = text.casefold()
        for form in dict.fromkeys((folded, folded.removesuffix("s"), re.sub(r"^v(?=\d)", "", folded))):
            compact = squashed(form)
            if form in ACRONYMS or compact in self.corpus.joined or compact in self.asked_joined:
                return True
            if re.search(rf"(?<![a-z0-9]){re.escape(form)}(?![a-z0-9])", self.lowered):
                return True
        if re.fullmatch(r"[1-5]xx", folded):
            return self._has_class(folded[0])
        implied = IMPLIED_BY.get(folded)
        if implied is not None and re.search(implied, self.lowered):
            return True
        return any(
            folded in phrase.split() and self._has_number(code) for code, phrase in REASON_PHRASES.items()
        )

    def _has_number(self, digits: str) -> bool:
        return any(number.quantity.text == digits for number in self.corpus.numbers)

    def _has_class(self, first: str) -> bool:
        numbers = (number.quantity for number in self.corpus.numbers)
        return any(is_bare(q) and 100 <= q.value < 600 and str(q.value)[0] == first for q in numbers)

    # --- times --------------------------------------------------------------------------------

    def moments(self) -> Iterator[Unfounded]:
        for moment in self.stated.moments:
            if not self._has_moment(moment):
                yield Unfounded("moment", moment.text)

    def good_moments(self) -> tuple[Moment, ...]:
        return tuple(moment for moment in self.stated.moments if self._has_moment(moment))

    def _has_moment(self, moment: Moment) -> bool:
        instants = [*self.corpus.instants, *self.corpus.minutes]
        if self._bounds_a_window(moment):
            instants += [end for window in self.corpus.windows for end in window]
        hedged = re.search(r"(?i)(?:about|around|roughly|约|大约|近)\s*$", self.stated.text[: moment.start])
        is_rounded = hedged is not None and moment.second is None
        shifts = (
            (timedelta(0), timedelta(seconds=30), timedelta(seconds=-30)) if is_rounded else (timedelta(0),)
        )
        if any(_is_read_as(moment, at + shift) for at in instants for shift in shifts):
            return True
        others = [*self.corpus.written_times, *self.asked.moments]
        others += [other for founded in self.known for other in founded.moments]
        return any(moment.is_same_as(other) for other in others)

    def _bounds_a_window(self, moment: Moment) -> bool:
        before, after = self.stated.text[: moment.start], self.stated.text[moment.end :]
        return bool(_WINDOW_BEFORE.search(before) or _WINDOW_AFTER.match(after))

    # --- numbers ------------------------------------------------------------------------------

    def quantities(self) -> tuple[list[Unfounded], tuple[Quantity, ...]]:
        claimed = self.stated.quantities
        right = [quantity for quantity in claimed if self._is_written(quantity)]
        right += [q for q in claimed if q not in right and is_counted(q, self.stated, self.corpus)]
        known = tuple(quantity for founded in self.known for quantity in founded.quantities)
        open_ = [quantity for quantity in claimed if quantity not in right]
        for _round in range(2):
            stated = Stated(self.stated, self.corpus, (*right, *known), self.good_moments())
            derived = [quantity for quantity in open_ if derivation_of(quantity, stated)]
            right += derived
            open_ = [quantity for quantity in open_ if quantity not in derived]
        return [Unfounded("number", quantity.text) for quantity in open_], tuple(right)

    def _is_written(self, quantity: Quantity) -> bool:
        if is_limit(quantity, self.stated.text):
            quantity = replace(quantity, hedge=Hedge.NONE)
        if any(same_in(quantity, number.quantity, number.key) for number in self.corpus.numbers):
            return True
        if any(same_in(quantity, other) for other in self.asked.quantities):
            return True
        if any(same_in(quantity, other) for founded in self.known for other in founded.quantities):
            return True
        if quantity.value == 0 and is_bare(quantity) and self.corpus.is_empty:
            return True
        digits = quantity.text.lstrip("#+").replace(",", "")
        return is_bare(quantity) and (digits in self.corpus.long_digits or digits in self.corpus.versions)


def _only_words(text: str) -> str:
    """Return the words of a quotation, without the punctuation that a log's header had between them."""
    return f" {' '.join(_WORDS.findall(text))} "


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
