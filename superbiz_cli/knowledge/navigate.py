"""L0: what a query is about, before anything is searched. It narrows and explains, it never decides.

A search is narrowed by what somebody said for that purpose: the words of a configured domain, or
"category:redis" in the query. That a category's name merely occurs in a query explains and no more: on
judged queries, narrowing by it lost the answer in one of ten ("alert", "client" and "java" are folders, too).
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from superbiz_cli.knowledge.identifiers import is_camel
from superbiz_cli.knowledge.language import language_of
from superbiz_cli.knowledge.terms import terms_of
from superbiz_cli.knowledge.vocabulary import Vocabulary

MAX_QUERY_CHARS = 2_000
MAX_TERMS = 48
_CORRECTED_WEIGHT = 0.8

_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]*(?:[.:/\-]+[A-Za-z0-9_]+)*")
_ERROR_CODE = re.compile(
    r"\b(?:[A-Z]{2,6}-\d{3,6}|E\d{3,6}|0x[0-9A-Fa-f]{4,16}|[A-Z][A-Z0-9]+(?:_[A-Z0-9]+)+|(?:SQLSTATE\s*)?\[?[0-9A-Z]{5}\]?(?<=\d)"
    r"|(?i:error|code|errno|status|错误码?)\s*[:=]?\s*\d{2,6})\b"
)
_ASKED_CATEGORY = re.compile(
    r"(?<!\w)(?:category|分类|类别)\s*[:：=]\s*(?:\"([^\"]+)\"|([^\s,，。]+))", re.IGNORECASE
)
_SERVICE = re.compile(
    r"\b[a-z][a-z0-9]*(?:-[a-z0-9]+)*-(?:service|server|gateway|api|worker|job|svc|proxy)\b"
)


@dataclass(frozen=True, slots=True)
class Domain:
    """A field of work, from the configuration: words that hint at it, and categories it narrows to."""

    name: str
    words: tuple[str, ...]
    categories: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class QueryView:
    """A query, understood. `terms` are weighted by their rarity, with corrections at a lower weight.

    `categories` is what a first search is narrowed to; the other lists only explain.
    """

    text: str
    language: str
    terms: Mapping[str, float]
    corrections: Mapping[str, str] = field(default_factory=dict)
    identifiers: tuple[str, ...] = ()
    alerts: tuple[str, ...] = ()
    error_codes: tuple[str, ...] = ()
    services: tuple[str, ...] = ()
    domains: tuple[str, ...] = ()
    categories: tuple[str, ...] = ()
    named_categories: tuple[str, ...] = ()
    is_shortened: bool = False


def understand(
    query: str,
    *,
    vocabulary: Vocabulary,
    categories: Iterable[str] = (),
    domains: Sequence[Domain] = (),
) -> QueryView:
    """Return what `query` names. `categories` are those of the collection."""
    given = " ".join(query.split())[:MAX_QUERY_CHARS]
    asked = {(quoted or bare).lower() for quoted, bare in _ASKED_CATEGORY.findall(given)}
    text = " ".join(_ASKED_CATEGORY.sub(" ", given).split()) or given
    terms, corrections = _weighted(terms_of(text), vocabulary)
    names = list(dict.fromkeys(_NAME.findall(text)))
    camel = tuple(name for name in names if is_camel(name) and name.isalnum())
    hinted = [domain for domain in domains if _names(text, domain.words)]
    narrowing = [category for domain in hinted for category in domain.categories]
    known = tuple(categories)
    narrowing += [category for category in known if category.lower() in asked]
    return QueryView(
        text=text,
        language=language_of(text),
        terms=terms,
        corrections=corrections,
        identifiers=tuple(name for name in names if name not in camel and _is_identifier(name)),
        alerts=camel,
        error_codes=tuple(dict.fromkeys(match.group().strip() for match in _ERROR_CODE.finditer(text))),
        services=tuple(dict.fromkeys(_SERVICE.findall(text))),
        domains=tuple(domain.name for domain in hinted),
        categories=tuple(dict.fromkeys(narrowing)),
        named_categories=tuple(category for category in known if _names(text, (category,))),
        is_shortened=len(query.strip()) > MAX_QUERY_CHARS,
    )


def _weighted(terms: Sequence[str], vocabulary: Vocabulary) -> tuple[dict[str, float], dict[str, str]]:
    """Return the rarest terms with their weights, and what unknown ones were taken for."""
    distinct = sorted(dict.fromkeys(terms), key=lambda term: -vocabulary.idf(term))[:MAX_TERMS]
    weights: dict[str, float] = {}
    corrections: dict[str, str] = {}
    for term in distinct:
        meant = vocabulary.closest(term)
        if meant is None:
            weights[term] = vocabulary.idf(term)
        elif meant not in distinct:
            corrections[term] = meant
            weights[meant] = vocabulary.idf(meant) * _CORRECTED_WEIGHT
    return weights, corrections


def _is_identifier(name: str) -> bool:
    return any(mark in name for mark in "_.:/-") or any(char.isdigit() for char in name)


def _names(text: str, words: Iterable[str]) -> bool:
    """Whether one of `words` stands in `text`: Latin ones as whole words, Chinese ones anywhere."""
    lowered = text.lower()
    return any(
        re.search(rf"(?<![a-z0-9]){re.escape(word.lower())}(?![a-z0-9])", lowered)
        if word.isascii()
        else word in lowered
        for word in words
        if word
    )
