"""Search terms: separated by white space, case ignored, all of them must occur; "a phrase" is one."""

from __future__ import annotations

import re
from collections.abc import Sequence

MAX_TERMS = 16
MAX_QUERY_CHARS = 512

# A quote opens a phrase only where a term begins and if it is closed again; otherwise it is a
# character like any other, because terms are literal.
_TERM = re.compile(r'"([^"]+)"(?=\s|$)|“([^”]+)”(?=\s|$)|(\S+)')


def parse_terms(query: str) -> tuple[str, ...]:
    """Return the terms of `query`, lower-cased, in order, each once."""
    terms: list[str] = []
    for match in _TERM.finditer(query.replace("\u3000", " ")):
        term = (match[1] or match[2] or match[3]).strip().lower()
        if term and term not in terms:
            terms.append(term)
    return tuple(terms)


def matches_all(text: str, terms: Sequence[str]) -> bool:
    """Whether every (lower-case) term occurs in `text`, ignoring case."""
    if not terms:
        return True
    lowered = text.lower()
    return all(term in lowered for term in terms)
