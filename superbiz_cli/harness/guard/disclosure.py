"""Instructions are not findings: what the models were told must not come back as published text.

A model that recites its instructions, because data asked it to, is stopped here and not by the judge,
who may agree. Texts are compared by their letters and digits alone, so that spacing, case, marks,
full-width forms and a sentence spread over several items do not hide a recital. What the evidence or
the question says may be repeated, and so may the sentences that a skill offers for a report.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

from superbiz_cli.harness.contract.draft import Draft
from superbiz_cli.harness.contract.evidence import VerifiedEvidence
from superbiz_cli.harness.contract.strict import JsonValue
from superbiz_cli.harness.contract.violation import Violation, ViolationCode

RUN_LETTERS = 48
CHANCE_LETTERS = 4
"""About nine English words in a row: chance and common phrases do not reach it."""
RUN_IDEOGRAPHS = 18
ADDRESS_LETTERS = 20
MARKER_CHARS = 12
MARKER_DIGITS = 3

_WRITTEN_OUT = re.compile(r"\\x[0-9a-f]{2}|\\u[0-9a-f]{4}|\\U[0-9a-f]{8}")  # by `tool.sanitize`
_IDEOGRAPH_RUN = re.compile("[\u3400-\u9fff\uf900-\ufaff]+")
_SENTENCE_END = re.compile(r"(?<=[.!?。！？:：])\s+|\n")
_ADDRESSED = re.compile(r"\byou(?:r|rs)?\b|[你您]", re.IGNORECASE)
_MARKER = re.compile(rf"[A-Za-z0-9][A-Za-z0-9_.-]{{{MARKER_CHARS - 2},}}[A-Za-z0-9]")


@dataclass(frozen=True)
class Instructions:
    """What the models of a Run were told: prompts, procedures, frames.

    `public` are those of their sentences that are written for the reader, such as the findings of a
    skill.
    """

    texts: tuple[str, ...] = ()
    public: tuple[str, ...] = ()

    def recited_in(self, published: Mapping[str, str], *, known: Iterable[str] = ()) -> tuple[str, ...]:
        """Return the keys of the `published` texts that hold a recital, in order.

        A recital is a run of 48 letters and digits (18 ideographs) of one text, a whole sentence that
        addresses the model, or a token of 12 characters that looks like a mark. Nothing counts that
        stands in `known` or is public.
        """
        stream = _Stream.of(published)
        if not self.texts or not stream.letters:
            return ()
        allowed = _Allowed([*self.public, *known])
        places = [
            *(
                start
                for start, run in stream.runs()
                if run in self._runs and not allowed.holds(stream.within_one(start, run))
            ),
            *(
                start
                for sentence in self._addresses
                if not allowed.holds(sentence)
                for start in _occurrences(sentence, stream.letters)
            ),
        ]
        keys = {stream.key_at(start) for start in places}
        keys |= {key for key, text in published.items() if self._marks_in(text, allowed)}
        return tuple(key for key in published if key in keys)

    def _marks_in(self, text: str, allowed: _Allowed) -> bool:
        return any(
            mark in self._marks and not allowed.holds(_letters(mark)) for mark in _marks(_visible(text))
        )

    @cached_property
    def _runs(self) -> frozenset[str]:
        return frozenset(run for text in self.texts for _, run in _runs_of(_letters(text)))

    @cached_property
    def _addresses(self) -> frozenset[str]:
        sentences = (sentence for text in self.texts for sentence in _SENTENCE_END.split(text))
        letters = (_letters(sentence) for sentence in sentences if _ADDRESSED.search(sentence))
        return frozenset(sentence for sentence in letters if len(sentence) >= ADDRESS_LETTERS)

    @cached_property
    def _marks(self) -> frozenset[str]:
        return frozenset(mark for text in self.texts for mark in _marks(text))


NO_INSTRUCTIONS = Instructions()


def check_disclosure(
    draft: Draft, evidence: Sequence[VerifiedEvidence], instructions: Instructions, *, query: str
) -> tuple[Violation, ...]:
    """Return INSTRUCTIONS_DISCLOSED for each text of the publishable `draft` that holds a recital."""
    recited = instructions.recited_in(_texts_of(draft), known=quoted(evidence, query))
    return tuple(Violation(ViolationCode.INSTRUCTIONS_DISCLOSED, target) for target in recited)


def quoted(evidence: Sequence[VerifiedEvidence], query: str) -> list[str]:
    """Return what a text may repeat word for word: the question and every string of the evidence."""
    return [query, *(text for item in evidence for text in _strings(item.payload))]


@dataclass(frozen=True, slots=True)
class _Stream:
    """Several texts as one sequence of letters and digits; `ends` says where each of them ends."""

    letters: str
    ends: tuple[tuple[int, str], ...]

    @classmethod
    def of(cls, texts: Mapping[str, str]) -> _Stream:
        parts: list[str] = []
        ends: list[tuple[int, str]] = []
        length = 0
        for key, text in texts.items():
            parts.append(_letters(text))
            length += len(parts[-1])
            ends.append((length, key))
        return cls("".join(parts), tuple(ends))

    def runs(self) -> Iterator[tuple[int, str]]:
        return _runs_of(self.letters)

    def within_one(self, start: int, run: str) -> str:
        """Return `run`, which begins at `start`, without the few letters that belong to another text.

        What may be repeated may stand beside a text that happens to begin or end in those letters.
        """
        for end, _ in self.ends:
            if 0 < end - start <= CHANCE_LETTERS:
                run, start = run[end - start :], end
            elif 0 < start + len(run) - end <= CHANCE_LETTERS:
                run = run[: end - start]
        return run

    def key_at(self, position: int) -> str:
        return next(key for end, key in self.ends if position < end)


class _Allowed:
    """Texts whose content may be repeated."""

    def __init__(self, texts: Iterable[str]) -> None:
        self._texts = [_letters(text) for text in texts]

    def holds(self, letters: str) -> bool:
        return any(letters in text for text in self._texts)


def _runs_of(letters: str) -> Iterator[tuple[int, str]]:
    for start in range(len(letters) - RUN_LETTERS + 1):
        yield start, letters[start : start + RUN_LETTERS]
    for chinese in _IDEOGRAPH_RUN.finditer(letters):
        for start in range(chinese.start(), chinese.end() - RUN_IDEOGRAPHS + 1):
            yield start, letters[start : start + RUN_IDEOGRAPHS]


def _occurrences(part: str, letters: str) -> Iterator[int]:
    start = letters.find(part)
    if start >= 0:
        yield start


def _marks(text: str) -> Iterator[str]:
    """Yield the tokens that look like a mark: long, of letters and several digits."""
    for token in _MARKER.findall(text):
        digits = sum(char.isdigit() for char in token)
        if digits >= MARKER_DIGITS and any(char.isalpha() for char in token):
            yield token.casefold()


def _letters(text: str) -> str:
    folded = unicodedata.normalize("NFKC", _visible(text)).casefold()
    return "".join(char for char in folded if char.isalnum())


def _visible(text: str) -> str:
    return _WRITTEN_OUT.sub("", text)


def _texts_of(draft: Draft) -> dict[str, str]:
    texts: dict[str, str | None] = {
        f"analysis[{index}].text": item.text for index, item in enumerate(draft.analysis or ())
    }
    texts["conclusion.text"] = draft.conclusion.text if draft.conclusion else None
    texts |= {f"action_plan[{index}].action": step.action for index, step in enumerate(draft.action_plan)}
    texts |= {
        f"recommendations[{index}].text": advice.text for index, advice in enumerate(draft.recommendations)
    }
    if draft.limitations is not None:
        texts["limitations.checked_scope"] = draft.limitations.checked_scope
        for name in ("missing_info", "caveats"):
            lines = getattr(draft.limitations, name)
            texts |= {f"limitations.{name}[{index}]": line for index, line in enumerate(lines)}
    return {key: text for key, text in texts.items() if text}


def _strings(value: JsonValue | Mapping[str, JsonValue]) -> Iterator[str]:
    match value:
        case str():
            yield value
        case list():
            for part in value:
                yield from _strings(part)
        case Mapping():
            for part in value.values():
                yield from _strings(part)
        case _:
            return
