"""Layer 2a: the words and signs of a query.

The reader is our own, because a parser and a server that disagree about one comment or one quote
are two languages. What it does not know is refused; what it knows is later written out again.
"""

from __future__ import annotations

import re
from collections.abc import Set
from dataclasses import dataclass
from enum import Enum, auto

from superbiz_cli.harness.tool.mysql.contract import QueryRefused, Refusal
from superbiz_cli.harness.tool.mysql.words import AGGREGATES, KEYWORDS, MERELY_RESERVED, REFUSED_WORDS

IDENTIFIER = re.compile(r"[A-Za-z_][A-Za-z0-9_]{0,63}")
COMPARISONS = frozenset({"=", "<", ">", "<=", ">=", "<>", "!=", "<=>"})

_TOKEN = re.compile(
    r"""(?P<space>[ \t\r\n]+)
      | `(?P<quoted>[^`]*)`
      | (?P<word>[A-Za-z_][A-Za-z0-9_]*)
      | (?P<number>[0-9])
      | (?P<comparison>[<>=!]+)
      | (?P<sign>[?(),.;*+\-/%])""",
    re.VERBOSE,
)
_OPEN_AHEAD = re.compile(r"[ \t\r\n]*\(")


class Kind(Enum):
    """What a token is."""

    KEYWORD = auto()
    AGGREGATE = auto()
    NAME = auto()
    PARAMETER = auto()
    OPERATOR = auto()
    STAR = auto()
    DOT = auto()
    COMMA = auto()
    OPEN = auto()
    CLOSE = auto()
    SEMICOLON = auto()


_SIGNS = {
    "?": Kind.PARAMETER,
    "(": Kind.OPEN,
    ")": Kind.CLOSE,
    ",": Kind.COMMA,
    ".": Kind.DOT,
    ";": Kind.SEMICOLON,
    "*": Kind.STAR,
    "+": Kind.OPERATOR,
    "-": Kind.OPERATOR,
    "/": Kind.OPERATOR,
    "%": Kind.OPERATOR,
}


@dataclass(frozen=True, slots=True)
class Token:
    """One token. `text` is the name as written, or the keyword, function or sign in upper case."""

    kind: Kind
    text: str

    def is_keyword(self, *words: str) -> bool:
        """Whether this is one of these keywords."""
        return self.kind is Kind.KEYWORD and self.text in words


def read_tokens(sql: str, *, columns: Set[str] = frozenset()) -> tuple[Token, ...]:
    """Split a text that has passed `check_text`. Raises QueryRefused.

    `columns` are the lower-case names of the allow-list: one that a server reserves without any use in
    our grammar (`rank`, `key`, `offset`) may stand bare, and so may such a word after AS.
    """
    if re.match(r"\s*select\b", sql, re.IGNORECASE) is None:
        raise QueryRefused(Refusal.NOT_A_SELECT)
    tokens: list[Token] = []
    position = 0
    while position < len(sql):
        found = _TOKEN.match(sql, position)
        if found is None:
            raise QueryRefused(Refusal.IDENTIFIER)
        token = _token(found, sql, before=tokens[-1] if tokens else None, columns=columns)
        if token is not None:
            tokens.append(token)
        position = found.end()
    return tuple(tokens)


def _token(found: re.Match[str], sql: str, *, before: Token | None, columns: Set[str]) -> Token | None:
    text = found.group()
    match found.lastgroup:
        case "space":
            return None
        case "quoted":
            return _quoted(found.group("quoted"), sql[found.end() : found.end() + 1])
        case "word":
            is_called = _OPEN_AHEAD.match(sql, found.end()) is not None
            return _word(text, before=before, is_called=is_called, columns=columns)
        case "number":
            raise QueryRefused(Refusal.LITERAL)
        case "comparison":
            if text not in COMPARISONS:
                raise QueryRefused(Refusal.OPERATOR)
            return Token(Kind.OPERATOR, "<>" if text == "!=" else text)
        case _:
            if text == "-" and sql[found.end() : found.end() + 1] == ">":
                raise QueryRefused(Refusal.OPERATOR)
            return Token(_SIGNS[text], text)


def _quoted(name: str, following: str) -> Token:
    """Read a name between backticks; a doubled backtick would make it another name."""
    if following == "`" or IDENTIFIER.fullmatch(name) is None:
        raise QueryRefused(Refusal.IDENTIFIER)
    return Token(Kind.NAME, name)


def _word(text: str, *, before: Token | None, is_called: bool, columns: Set[str]) -> Token:
    if IDENTIFIER.fullmatch(text) is None:
        raise QueryRefused(Refusal.IDENTIFIER)
    if before is not None and before.kind is Kind.DOT:
        return Token(Kind.NAME, text)
    word = text.upper()
    if word in KEYWORDS:
        return Token(Kind.KEYWORD, word)
    if word in AGGREGATES and is_called:
        return Token(Kind.AGGREGATE, word)
    refusal = REFUSED_WORDS.get(word)
    is_free = refusal in MERELY_RESERVED and not is_called
    is_wanted = text.lower() in columns or (before is not None and before.is_keyword("AS"))
    if refusal is not None and not (is_free and is_wanted):
        raise QueryRefused(refusal)
    return Token(Kind.NAME, text)
