"""Layer 1: the characters and the size of a query, before anything is read into it."""

from __future__ import annotations

import re

from superbiz_cli.harness.tool.mysql.contract import QueryRefused, Refusal

MAX_SQL_BYTES = 8_192
MAX_NESTING = 24

_ALLOWED = re.compile(r"[A-Za-z0-9_ \t\r\n?(),.;*=<>!+\-/%`]*")
_COMMENT_MARKS = ("--", "/*", "*/", "#")
_QUOTES = "'\""


def check_text(sql: str) -> None:
    """Refuse what cannot be a query of this sandbox, by its characters alone. Raises QueryRefused.

    Every way to write a comment or a value needs a character, or a pair of them, that is refused
    here; so do variables, casts, hints and everything that is not ASCII.
    """
    if len(sql.encode("utf-8", "replace")) > MAX_SQL_BYTES:
        raise QueryRefused(Refusal.TOO_LONG)
    if not sql.strip():
        raise QueryRefused(Refusal.NOT_A_SELECT)
    if any(mark in sql for mark in _COMMENT_MARKS):
        raise QueryRefused(Refusal.COMMENT)
    if any(quote in sql for quote in _QUOTES):
        raise QueryRefused(Refusal.LITERAL)
    if "@" in sql:
        raise QueryRefused(Refusal.VARIABLE)
    if _ALLOWED.fullmatch(sql) is None:
        raise QueryRefused(Refusal.CHARACTER)
    _check_nesting(sql)


def _check_nesting(sql: str) -> None:
    depth = 0
    for char in sql:
        depth += {"(": 1, ")": -1}.get(char, 0)
        if depth > MAX_NESTING:
            raise QueryRefused(Refusal.TOO_DEEP)
        if depth < 0:
            raise QueryRefused(Refusal.SYNTAX)
    if depth:
        raise QueryRefused(Refusal.SYNTAX)
