"""What a statement says and its evidence holds: the operands from which other numbers may follow."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from decimal import Decimal
from itertools import combinations, pairwise

from superbiz_cli.harness.guard.claims.corpus import Corpus, Keyed
from superbiz_cli.harness.guard.claims.moments import Moment
from superbiz_cli.harness.guard.claims.quantities import Quantity
from superbiz_cli.harness.guard.claims.scan import Scan
from superbiz_cli.harness.guard.claims.tolerance import agrees, base_value, is_bare, same_in
from superbiz_cli.harness.guard.claims.units import Dimension, same_unit

MAX_OPERANDS = 8
MANY_DIGITS = 4  # a number of so many digits is no sum or difference by chance
FEW = 12  # small counts are everywhere: they are operands of counts only


@dataclass(frozen=True, slots=True)
class Stated:
    """One statement with those of its quantities and times that are in the evidence."""

    scan: Scan
    corpus: Corpus
    quantities: tuple[Quantity, ...]
    moments: tuple[Moment, ...]

    def others(self, claim: Quantity) -> list[Quantity]:
        """Return the quantities that stand beside `claim`."""
        return [part for part in self.quantities if part is not claim]

    def operands(self, claim: Quantity) -> list[Quantity]:
        """Return what may be added to or subtracted from each other to give `claim`."""
        return [
            part
            for part in self.others(claim)
            if same_unit(part.unit, claim.unit)
            and part.unit.dimension is not Dimension.FACTOR
            and (claim.is_count or not part.is_count or part.step > 1 or part.value > FEW)
        ][:MAX_OPERANDS]

    def pairs(self, claim: Quantity, operands: list[Quantity]) -> Iterator[tuple[Quantity, Quantity]]:
        """Yield pairs of operands, and pairs within one event of the evidence.

        Two numbers of an event count if the statement names the keys of both ("the actual version is
        2 above the expected one"), or, where it states fewer than two operands or the claim has too
        many digits for chance, or the two have one unit, if it states one.
        So do two neighbouring values of one key ("846 more than the minute before").
        """
        yield from combinations(operands, 2)
        lowered = self.scan.text.casefold()
        is_open = len(operands) < 2 or digits_of(claim) >= MANY_DIGITS
        for left, right in (*self.keyed_pairs_within_events(), *self.neighbours_of_one_key()):
            keys = {left.key, right.key}
            is_named = len(keys) == 2 and all(_is_named(key, lowered) for key in keys)
            is_alike = not is_bare(left.quantity) and left.quantity.unit == right.quantity.unit
            if is_named or ((is_open or is_alike) and self._is_one_stated(left, right, claim)):
                yield left.quantity, right.quantity

    def pairs_within_events(self, claim: Quantity) -> Iterator[tuple[Quantity, Quantity]]:
        """Yield pairs of numbers within one event of which the statement has one."""
        for left, right in self.keyed_pairs_within_events():
            if self._is_one_stated(left, right, claim):
                yield left.quantity, right.quantity

    def measures_of_a_named_key(self) -> Iterator[tuple[Quantity, Quantity]]:
        """Yield pairs of one unit within an event of which the statement names a key ("its baseline")."""
        lowered = self.scan.text.casefold()
        for left, right in self.keyed_pairs_within_events():
            is_alike = not is_bare(left.quantity) and left.quantity.unit == right.quantity.unit
            if is_alike and any(_is_named(key, lowered) for key in (left.key, right.key)):
                yield left.quantity, right.quantity

    def pairs_of_one_key(self, claim: Quantity) -> Iterator[tuple[Quantity, Quantity]]:
        """Yield neighbouring values of one key, and its first and last.

        The statement names the key, one of the two, or the times of both; or it has no other amount
        and this one is measured in the same unit ("some 241 GiB were freed").
        """
        lowered = self.scan.text.casefold()
        is_alone = not is_bare(claim) and all(part.is_count for part in self.others(claim))
        for left, right in self.neighbours_of_one_key():
            is_same = is_alone and left.quantity.unit.dimension is claim.unit.dimension
            if (
                is_same
                or self._are_timed(left, right)
                or _is_named(left.key, lowered)
                or self._is_one_stated(left, right, claim)
            ):
                yield left.quantity, right.quantity

    def keyed_pairs_within_events(self) -> Iterator[tuple[Keyed, Keyed]]:
        """Yield all pairs of numbers within one event, with their keys."""
        by_record: dict[int, list[Keyed]] = {}
        for number in self.corpus.numbers:
            if number.record >= 0:
                by_record.setdefault(number.record, []).append(number)
        for numbers in by_record.values():
            yield from combinations(numbers[:MAX_OPERANDS], 2)

    def neighbours_of_one_key(self) -> Iterator[tuple[Keyed, Keyed]]:
        """Yield each two neighbouring values of a key over the events, and its first and last."""
        by_key: dict[str, list[Keyed]] = {}
        for number in self.corpus.numbers:
            if number.record >= 0 and number.key:
                by_key.setdefault(number.key, []).append(number)
        for numbers in by_key.values():
            yield from pairwise(numbers)
            if len(numbers) > 2:
                yield numbers[0], numbers[-1]

    def _are_timed(self, left: Keyed, right: Keyed) -> bool:
        """Whether the statement gives the times of the events of both."""
        times = [self.corpus.records[number.record].at for number in (left, right)]
        return all(at is not None and any(moment.is_of(at) for moment in self.moments) for at in times)

    def _is_one_stated(self, left: Keyed, right: Keyed, claim: Quantity) -> bool:
        return any(
            same_in(part, number.quantity, number.key)
            for part in self.others(claim)
            for number in (left, right)
        )


def _is_named(key: str, lowered: str) -> bool:
    """Whether a text names the key; of a Chinese one ("超出上限") the last word is enough."""
    if len(key) < 2:
        return False
    return key in lowered or (not key.isascii() and key[-2:] in lowered)


def digits_of(claim: Quantity) -> int:
    """Return the number of significant digits of a claim."""
    return len(claim.value.normalize().as_tuple().digits)


def comparable(left: Quantity, right: Quantity) -> tuple[Decimal, Decimal]:
    """Return both in one unit; a number without a unit is in that of the other."""
    if is_bare(left) or is_bare(right):
        return left.value, right.value
    return base_value(left), base_value(right)


def is_value(claim: Quantity, base: Decimal) -> bool:
    """Whether `claim` is `base` (seconds, bytes, or its own unit), under one meaning of its unit."""
    return any(agrees(claim, base / factor) for factor in claim.unit.factors)
