"""The claim check: what a statement says in figures, names, times and quotes must be in its evidence."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from superbiz_cli.harness.contract.draft import Draft
from superbiz_cli.harness.contract.evidence import VerifiedEvidence
from superbiz_cli.harness.contract.violation import Violation, ViolationCode
from superbiz_cli.harness.guard.claims.contradictions import contradictions
from superbiz_cli.harness.guard.claims.corpus import Corpus, corpus_of
from superbiz_cli.harness.guard.claims.counting import is_counted
from superbiz_cli.harness.guard.claims.derivations import derivation_of
from superbiz_cli.harness.guard.claims.quantities import Quantity
from superbiz_cli.harness.guard.claims.reading import Reader
from superbiz_cli.harness.guard.claims.scan import Scan, scan
from superbiz_cli.harness.guard.claims.stated import Stated
from superbiz_cli.harness.guard.claims.support import Founded, Support

MAX_STATEMENT_CHARS = 4_000
MAX_FIGURES = 120
_ROUNDS = 2  # a share of a total that is itself a sum takes two


@dataclass(frozen=True, slots=True)
class Unfounded:
    """Something that a statement says and its evidence does not hold, or its own figures deny."""

    kind: str
    text: str


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
    support = Support(stated, corpus, asked, known)
    moments = tuple(moment for moment in stated.moments if support.has_moment(moment))
    founded = Founded(_founded_numbers(Stated(stated, corpus, (), moments), support, known), moments)
    unfounded = [
        *(Unfounded("contradiction", part) for part in contradictions(stated)),
        *(Unfounded("quote", quote) for quote in stated.quotes if not support.has_quote(quote)),
        *(Unfounded("pair", pair.text) for pair in stated.pairs if not support.has_pair(pair)),
        *(Unfounded("name", name.text) for name in stated.names if not support.has_name(name)),
        *(Unfounded("name", word) for word in support.misspelled()),
        *(Unfounded("time", moment.text) for moment in stated.moments if moment not in moments),
        *(Unfounded("number", one.text) for one in stated.quantities if one not in founded.quantities),
    ]
    return unfounded, founded


def _founded_numbers(stated: Stated, support: Support, known: Sequence[Founded]) -> tuple[Quantity, ...]:
    """Return the numbers that are written in the evidence, counted from it, or derived from such."""
    scanned, corpus = stated.scan, stated.corpus
    founded = [
        one for one in scanned.quantities if support.has_number(one) or is_counted(one, scanned, corpus)
    ]
    repeated = [quantity for earlier in known for quantity in earlier.quantities]
    for _ in range(_ROUNDS):
        operands = Stated(scanned, corpus, (*founded, *repeated), stated.moments)
        founded += [one for one in scanned.quantities if one not in founded and derivation_of(one, operands)]
    return tuple(founded)
