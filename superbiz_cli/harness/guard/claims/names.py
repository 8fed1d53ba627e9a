"""Identifiers in a claim: what names one particular thing and therefore must occur in the evidence."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from superbiz_cli.harness.guard.claims.normal import CJK, is_mostly_chinese
from superbiz_cli.harness.guard.claims.vocabulary import (
    ACRONYMS,
    CAPITALISED,
    LATIN_IN_CHINESE,
    PRODUCTS,
    PROGRAMS,
    is_compound,
)

_WORD = re.compile(r"(?<![A-Za-z0-9])/?[A-Za-z0-9_$%*](?:[A-Za-z0-9_$%*'.:/@#\\+&=-]*[A-Za-z0-9_$%*+])?")
_DIGIT, _LETTER = re.compile(r"[0-9]"), re.compile(r"[A-Za-z]")
_JOINED = re.compile(
    r"[A-Za-z0-9][_:@#\\$][A-Za-z0-9]|^_|_$|[A-Za-z]\.[A-Za-z]{2}|[A-Za-z]\d*\.\d|^/|/.*[._/-]"
)
_INNER_CAPITAL = re.compile(r"[a-z][A-Z]|[A-Z]{2}[a-z]{2}|[A-Z][a-z]+[A-Z]")
_ABBREVIATION = re.compile(r"(?i)(?:e\.g|i\.e|a\.m|p\.m|etc|vs|approx|no|incl|resp|cf|a\.k\.a)\.?")
_ORDINAL = re.compile(r"\d+(?:st|nd|rd|th)")
_DASHED_NUMBER = re.compile(r"\d+-[a-z]+(?:-[a-z]+)*")
_SENTENCE_START = re.compile(rf"(?:^|[.!?。！？;；:]\s*|[{CJK}]\s*|[\"(\[]\s*|[-•*]\s+)$")


@dataclass(frozen=True, slots=True)
class Name:
    """An identifier as written. `is_plain` marks words that are names only by their place or case."""

    start: int
    end: int
    text: str
    is_plain: bool = False


def names(text: str) -> list[Name]:
    """Return the identifiers of a normalised `text` in order."""
    chinese = is_mostly_chinese(text)
    return [name for word in _words(text) if (name := _as_name(word, chinese=chinese)) is not None]


def words(text: str) -> list[str]:
    """Return every Latin word of `text`, joined ones whole."""
    return [match.group() for match in _words(text)]


def squashed(name: str) -> str:
    """Return `name` without case and separators; separators between digits are kept as one dot."""
    folded = name.casefold()
    kept = re.sub(r"(?<=\d)[^a-z0-9]+(?=\d)", ".", folded)
    return re.sub(rf"[^a-z0-9.{CJK}]|\.(?!\d)|(?<!\d)\.", "", kept)


def _words(text: str) -> Iterator[re.Match[str]]:
    return _WORD.finditer(text)


def _as_name(match: re.Match[str], *, chinese: bool) -> Name | None:
    word = match.group().rstrip("'").removesuffix("'s")
    if _ABBREVIATION.fullmatch(word) or _ORDINAL.fullmatch(word):
        return None
    if not _LETTER.search(word) and not _DIGIT.search(word):
        return None
    if is_particular(word):
        return Name(match.start(), match.start() + len(word), word)
    before = match.string[max(0, match.start() - 6) : match.start()]
    if _is_particular_here(word, before, chinese=chinese):
        return Name(match.start(), match.start() + len(word), word, is_plain=True)
    return None


def is_particular(word: str) -> bool:
    """Whether the form of `word` alone says that it names one particular thing."""
    if _DASHED_NUMBER.fullmatch(word):
        return False
    has_digit = _DIGIT.search(word) is not None
    if has_digit or _JOINED.search(word) or _INNER_CAPITAL.search(word):
        return True
    if "/" in word or "&" in word or "+" in word:
        return any(is_particular(part) for part in re.split(r"[/&+]", word) if part)
    if "-" in word:
        return not is_compound(word)
    return word.isupper() and len(word) > 1


def _is_particular_here(word: str, before: str, *, chinese: bool) -> bool:
    """Whether the place of a plain `word` makes it a name: Latin in Chinese, a capital inside a sentence."""
    folded = word.casefold()
    if "/" in word or "-" in word:
        return False
    if folded in PROGRAMS or folded in PRODUCTS:
        return True
    if chinese:
        return len(word) > 1 and folded not in LATIN_IN_CHINESE
    is_inside = bool(before.strip()) and _SENTENCE_START.search(before) is None
    return word[0].isupper() and is_inside and folded not in CAPITALISED and folded not in ACRONYMS
