"""The judge: a lexical check that the evidence holds what the draft says.

It cannot understand a causal claim. It refuses whatever names a number or an identifier that its
evidence does not hold, hedges, or shares too little with what it cites; the rest it lets pass.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal

from superbiz_cli.adapters.offline.words import language_of, shared_share, words
from superbiz_cli.harness.contract.strict import JsonValue, canonical_json

_NUMBER = re.compile(r"\d+(?:[.,]\d+)*")
_MAX_DIGITS = 24  # of a number that is rounded: more than any measurement has
_TIME = re.compile(r"\d{1,2}:\d{2}(?::\d{2}(?:\.\d+)?)?")
_IDENTIFIER = re.compile(
    r"\b(?:[A-Za-z][A-Za-z0-9]*(?:[-_.:/][A-Za-z0-9]+)+|[A-Za-z]*[a-z][A-Z]\w*|[A-Z]{2,}\w*\d\w*)\b"
)
_PRODUCTS = frozenset({"mysql", "rabbitmq", "mongodb", "postgresql", "openssl", "javascript"})
_QUOTE = re.compile(r'"([^"\n]{3,})"|“([^”\n]{3,})”|`([^`\n]{3,})`')
_HEDGE = re.compile(
    r"\b(?:probably|possibly|perhaps|maybe|might|may have|could have been|likely|presumably)\b"
    r"|\b(?:seems?|appears?) to\b"
    r"|可能|也许|大概|或许|疑似|应该是|推测|估计|似乎",
    re.IGNORECASE,
)
_MIN_SHARED_ITEM = 0.3
_MIN_LITERALS = 2
_MIN_SHARED_CONCLUSION = 0.3

_REASONS = {
    "en": {
        "no_conclusion": "There is no conclusion to judge.",
        "no_item": "The conclusion rests on no analysis item.",
        "no_evidence": "The conclusion rests on no positive evidence.",
        "hedge": "The conclusion is worded as a guess, not as something that the evidence shows.",
        "literal": "A number, name or quotation in the text is not in the evidence that it cites: {literal}",
        "words": "The text has too little in common with the evidence that it cites: {text}",
        "supported": "Every number, name and quotation is in the cited evidence (checked word by word).",
    },
    "zh": {
        "no_conclusion": "没有可以裁决的结论。",
        "no_item": "结论没有依据任何分析条目。",
        "no_evidence": "结论没有依据任何正面证据。",
        "hedge": "结论的措辞是猜测，而不是证据所显示的内容。",
        "literal": "文中的数字、名称或引文不在其引用的证据里：{literal}",
        "words": "文中内容与其引用的证据几乎没有共同之处：{text}",
        "supported": "所有数字、名称和引文都能在所引用的证据中找到（词面核对，没有使用语言模型）。",
    },
}


@dataclass(frozen=True, slots=True)
class _Item:
    kind: str
    text: str
    evidence: str
    found: bool


def judge_draft(task: Mapping[str, JsonValue]) -> dict[str, JsonValue]:
    """Answer a judge task: exactly {"verdict", "reason"}."""
    language = language_of(str(task.get("query", "")))
    complaint = next(_complaints(task), None)
    if complaint is None:
        return {"verdict": "SUPPORTED", "reason": _REASONS[language]["supported"]}
    code, detail = complaint
    reason = _REASONS[language][code].format(literal=detail, text=detail)
    return {"verdict": "UNSUPPORTED", "reason": reason[:300]}


def unsupported_literal(text: str, evidence: str) -> str | None:
    """Return the first number, time, identifier or quotation of `text` that `evidence` does not hold."""
    held = evidence.lower()
    numbers = {_plain(number) for number in _NUMBER.findall(evidence)}
    for match in _QUOTE.finditer(text):
        quote = match.group(match.lastindex or 0)
        if quote.lower() not in held:
            return quote
    rest = _QUOTE.sub(" ", text)
    for time in _matches(_TIME, rest):
        if not re.search(
            rf"(?<!\d){re.escape(time.zfill(len(time) if len(time) > 4 else 5))}(?!\d)", evidence
        ):
            return time
    rest = _TIME.sub(" ", rest)
    for identifier in _matches(_IDENTIFIER, rest):
        if identifier.lower() not in _PRODUCTS and not _holds_word(held, identifier.lower()):
            return identifier
    for number in _matches(_NUMBER, _IDENTIFIER.sub(" ", rest)):
        if _plain(number) not in numbers and not _is_rounded(number, numbers):
            return number
    return None


def _is_rounded(number: str, held: set[str]) -> bool:
    """Whether a number with decimals is one of `held`, rounded to them."""
    if number.count(".") != 1 or "," in number:
        return False
    step = Decimal(1).scaleb(-len(number.partition(".")[2]))
    return any(
        Decimal(other).quantize(step) == Decimal(number)
        for other in held
        if other.count(".") == 1 and len(number) < len(other) <= _MAX_DIGITS
    )


def _holds_word(text: str, word: str) -> bool:
    return re.search(rf"(?<![\w-]){re.escape(word)}(?![\w-])", text) is not None


def literal_count(text: str) -> int:
    """Return how many quotations, times, identifiers and numbers `text` holds."""
    count = 0
    for pattern in (_QUOTE, _TIME, _IDENTIFIER, _NUMBER):
        count += len(_matches(pattern, text))
        text = pattern.sub(" ", text)
    return count


def _matches(pattern: re.Pattern[str], text: str) -> list[str]:
    return [match.group(0) for match in pattern.finditer(text)]


def _complaints(task: Mapping[str, JsonValue]) -> Iterator[tuple[str, str]]:
    draft = task.get("draft")
    draft = draft if isinstance(draft, dict) else {}
    items = _items(draft.get("analysis"), _evidence_by_ref(task.get("evidence")))
    conclusion = draft.get("conclusion")
    if not isinstance(conclusion, dict) or not str(conclusion.get("text") or "").strip():
        yield "no_conclusion", ""
        return
    text = str(conclusion.get("text"))
    numbers = conclusion.get("analysis")
    based_on = (
        [items[n - 1] for n in numbers if isinstance(n, int) and 0 < n <= len(items)]
        if isinstance(numbers, list)
        else []
    )
    if not based_on:
        yield "no_item", ""
    if not any(item.kind == "NORMAL" and item.found for item in based_on):
        yield "no_evidence", ""
    if _HEDGE.search(_QUOTE.sub(" ", text)):
        yield "hedge", ""
    yield from _item_complaints(items)
    evidence = "\n".join(item.evidence for item in based_on)
    literal = unsupported_literal(text, evidence)
    if literal is not None:
        yield "literal", literal
    context = "\n".join((evidence, *(item.text for item in based_on), str(task.get("query", ""))))
    if not _shares_enough(text, context, _MIN_SHARED_CONCLUSION):
        yield "words", text[:120]


def _item_complaints(items: Sequence[_Item]) -> Iterator[tuple[str, str]]:
    for item in items:
        literal = unsupported_literal(item.text, item.evidence)
        if literal is not None:
            yield "literal", literal
        is_anchored = literal_count(item.text) >= _MIN_LITERALS
        if (
            item.kind == "NORMAL"
            and not is_anchored
            and not _shares_enough(item.text, item.evidence, _MIN_SHARED_ITEM)
        ):
            yield "words", item.text[:120]


def _shares_enough(text: str, evidence: str, share: float) -> bool:
    """Whether enough words of `text` occur in the evidence.

    Chinese prose about English logs shares only names and numbers, so there one of them is enough.
    """
    if language_of(text) == "zh" and language_of(evidence) != "zh":
        latin = [word for word in words(text) if word.isascii()]
        return bool(set(latin) & set(words(evidence)))
    if language_of(text) == "zh":
        latin_share = {word for word in words(text) if word.isascii()} & set(words(evidence))
        return bool(latin_share) or shared_share(text, evidence) >= share / 2
    return shared_share(text, evidence) >= share


def _evidence_by_ref(value: JsonValue) -> dict[int, tuple[str, bool]]:
    found: dict[int, tuple[str, bool]] = {}
    for item in value if isinstance(value, list) else []:
        if isinstance(item, dict) and isinstance(item.get("ref"), int):
            text = "\n".join(
                (str(item.get("source", "")), str(item.get("scope", "")), _flat(item.get("content")))
            )
            found[int(str(item["ref"]))] = (text, item.get("evidence_status") == "EVIDENCE_FOUND")
    return found


def _flat(content: JsonValue) -> str:
    """Return the texts and numbers of a content, one a line, without the JSON escapes of its quotes."""
    match content:
        case dict():
            return "\n".join(_flat(value) for value in content.values())
        case list():
            return "\n".join(_flat(value) for value in content)
        case str():
            return content
        case _:
            return canonical_json(content)


def _items(value: JsonValue, evidence: Mapping[int, tuple[str, bool]]) -> list[_Item]:
    items = []
    for entry in value if isinstance(value, list) else []:
        if not isinstance(entry, dict):
            continue
        refs = entry.get("evidence")
        cited = (
            [evidence[ref] for ref in refs if isinstance(ref, int) and ref in evidence]
            if isinstance(refs, list)
            else []
        )
        items.append(
            _Item(
                kind=str(entry.get("kind", "")),
                text=str(entry.get("text") or ""),
                evidence="\n".join(text for text, _ in cited),
                found=any(found for _, found in cited),
            )
        )
    return items


def _plain(number: str) -> str:
    """Return a number without thousands separators and useless zeros."""
    plain = number.replace(",", "")
    return plain.rstrip("0").rstrip(".") if plain.count(".") == 1 else plain
