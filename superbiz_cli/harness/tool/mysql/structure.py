"""Layer 2b: one statement, clauses in their order, and every token beside one that it may stand by.

Parsers are lenient where a server is strict, and lenient in other places than the next parser. These
checks leave no room for that: a trailing comma, an empty list, a clause out of order, a star, a word
before a parenthesis, a LIMIT with anything but one `?` never reach the parser.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from superbiz_cli.harness.tool.mysql.contract import QueryRefused, Refusal
from superbiz_cli.harness.tool.mysql.tokens import Kind, Token
from superbiz_cli.harness.tool.mysql.words import JOIN_PREFIXES

MAX_TOKENS = 500

_CLAUSES = {
    "SELECT": "S",
    "FROM": "F",
    "JOIN": "J",
    "ON": "O",
    "WHERE": "W",
    "GROUP": "G",
    "HAVING": "H",
    "ORDER": "D",
    "LIMIT": "L",
}
_CLAUSE_ORDER = re.compile(r"SF(JO)*W?G?H?D?L?")
_MAY_PRECEDE_OPEN = (
    "SELECT",
    "DISTINCT",
    "ON",
    "WHERE",
    "BY",
    "HAVING",
    "AND",
    "OR",
    "NOT",
    "IN",
    "BETWEEN",
    "LIKE",
    "DIV",
    "MOD",
)
_REFUSED_BEFORE_OPEN = {
    "FROM": Refusal.SUBQUERY,
    "JOIN": Refusal.SUBQUERY,
    "ALL": Refusal.SUBQUERY,
    "LIMIT": Refusal.LIMIT,
}
_AFTER_OPERAND = (
    *("FROM", "WHERE", "GROUP", "HAVING", "ORDER", "LIMIT", "INNER", "LEFT", "ON", "AS", "ASC", "DESC"),
    *("AND", "OR", "IS", "IN", "LIKE", "BETWEEN", "DIV", "MOD"),
)
_BEFORE_OPERAND = (
    *("SELECT", "DISTINCT", "DISTINCTROW", "ALL", "FROM", "JOIN", "ON", "WHERE", "BY", "HAVING"),
    *("AND", "OR", "NOT", "IN", "LIKE", "BETWEEN", "DIV", "MOD"),
)
# Keywords that may follow in place of an operand; after everything else only NOT may.
_OPERAND_STARTS = {
    "SELECT": ("NOT", "DISTINCT", "DISTINCTROW", "ALL"),
    "(": ("NOT", "DISTINCT", "ALL"),
    "NOT": ("NOT", "NULL", "IN", "LIKE", "BETWEEN"),
}


def check_structure(tokens: Sequence[Token]) -> tuple[Token, ...]:
    """Return the tokens of the one statement, without its trailing semicolon. Raises QueryRefused."""
    if len(tokens) > MAX_TOKENS:
        raise QueryRefused(Refusal.TOO_COMPLEX)
    statement = tuple(tokens[:-1] if tokens[-1].kind is Kind.SEMICOLON else tokens)
    if any(token.kind is Kind.SEMICOLON for token in statement):
        raise QueryRefused(Refusal.MULTIPLE_STATEMENTS)
    if sum(token.is_keyword("SELECT") for token in statement) != 1:
        raise QueryRefused(Refusal.SUBQUERY)
    _check_keyword_pairs(statement)
    _check_clauses(statement)
    _check_limit(statement)
    for before, token in zip(statement, (*statement[1:], None), strict=True):
        _check_neighbours(before, token)
    _check_stars(statement)
    return statement


def _check_clauses(tokens: Sequence[Token]) -> None:
    order, depth = "", 0
    for token in tokens:
        depth += {Kind.OPEN: 1, Kind.CLOSE: -1}.get(token.kind, 0)
        if token.kind is Kind.KEYWORD and token.text in _CLAUSES:
            if depth:
                raise QueryRefused(Refusal.CLAUSE_ORDER)
            order += _CLAUSES[token.text]
        elif token.kind is Kind.COMMA and not depth and order and order[-1] in "FJO":
            raise QueryRefused(Refusal.JOIN_TYPE)
        elif token.is_keyword("ASC", "DESC") and (depth or order[-1] != "D"):
            raise QueryRefused(Refusal.SYNTAX)
    if order.count("J") > order.count("O"):
        raise QueryRefused(Refusal.JOIN_CONDITION)
    if _CLAUSE_ORDER.fullmatch(order) is None:
        raise QueryRefused(Refusal.CLAUSE_ORDER)


def _check_neighbours(before: Token, token: Token | None) -> None:
    """Check two adjacent tokens; None stands for the end of the statement."""
    if token is not None and token.kind is Kind.OPEN:
        _check_before_open(before)
    _check_dots(before, token)
    if token is not None and token.is_keyword("JOIN") and before.text.upper() in JOIN_PREFIXES:
        raise QueryRefused(Refusal.JOIN_TYPE)
    if before.is_keyword("AS") and (token is None or token.kind is not Kind.NAME):
        raise QueryRefused(Refusal.IDENTIFIER)
    if _wants_operand_after(before) and not _starts_operand(token, after=before):
        raise QueryRefused(Refusal.SYNTAX)
    if _wants_operand_before(token) and not _ends_operand(before, token):
        raise QueryRefused(Refusal.SYNTAX)


def _check_dots(before: Token, token: Token | None) -> None:
    if before.kind is Kind.DOT and (token is None or token.kind is not Kind.NAME):
        is_star = token is not None and token.kind is Kind.STAR
        raise QueryRefused(Refusal.STAR if is_star else Refusal.IDENTIFIER)
    if token is not None and token.kind is Kind.DOT and before.kind is not Kind.NAME:
        raise QueryRefused(Refusal.IDENTIFIER)


def _wants_operand_after(token: Token) -> bool:
    return token.kind in (Kind.COMMA, Kind.OPEN, Kind.OPERATOR) or token.is_keyword(*_BEFORE_OPERAND)


def _wants_operand_before(token: Token | None) -> bool:
    """Whether an operand must have ended here; so it must at the end of the statement."""
    if token is None or token.kind in (Kind.COMMA, Kind.CLOSE) or token.is_keyword(*_AFTER_OPERAND):
        return True
    return token.kind is Kind.OPERATOR and token.text not in "+-"


def _ends_operand(token: Token, following: Token | None) -> bool:
    if token.is_keyword("NOT"):
        return following is not None and following.is_keyword("IN", "LIKE", "BETWEEN")
    if token.is_keyword("ASC", "DESC"):
        return following is None or following.kind is Kind.COMMA or following.is_keyword("LIMIT")
    return token.kind in (Kind.NAME, Kind.PARAMETER, Kind.CLOSE, Kind.STAR) or token.is_keyword("NULL")


def _starts_operand(token: Token | None, *, after: Token) -> bool:
    if token is None:
        return False
    match token.kind:
        case Kind.NAME | Kind.PARAMETER | Kind.OPEN | Kind.AGGREGATE | Kind.STAR:
            return True
        case Kind.OPERATOR:
            return token.text in "+-"
        case Kind.KEYWORD:
            return token.text in _OPERAND_STARTS.get(after.text, ("NOT",))
        case _:
            return False


def _check_before_open(before: Token) -> None:
    match before.kind:
        case Kind.AGGREGATE | Kind.OPERATOR | Kind.COMMA | Kind.OPEN | Kind.STAR:
            return
        case Kind.NAME:
            raise QueryRefused(Refusal.FUNCTION)
        case Kind.KEYWORD if before.text not in _MAY_PRECEDE_OPEN:
            raise QueryRefused(_REFUSED_BEFORE_OPEN.get(before.text, Refusal.SYNTAX))
        case Kind.KEYWORD:
            return
        case _:
            raise QueryRefused(Refusal.SYNTAX)


def _check_keyword_pairs(tokens: Sequence[Token]) -> None:
    """Check the keywords that make sense only beside another."""
    for position, token in enumerate(tokens):
        if token.kind is not Kind.KEYWORD:
            continue
        before = tokens[position - 1] if position else None
        after = tokens[position + 1] if position + 1 < len(tokens) else None
        match token.text:
            case "BY":
                _require(before, "GROUP", "ORDER", refusal=Refusal.SYNTAX)
            case "GROUP" | "ORDER":
                _require(after, "BY", refusal=Refusal.SYNTAX)
            case "INNER" | "OUTER":
                _require(after, "JOIN", refusal=Refusal.JOIN_TYPE)
            case "LEFT":
                is_called = after is not None and after.kind is Kind.OPEN
                _require(after, "OUTER", "JOIN", refusal=Refusal.FUNCTION if is_called else Refusal.JOIN_TYPE)
            case "IS":
                _require(after, "NULL", "NOT", refusal=Refusal.OPERATOR)
            case "NULL":
                _require_null_place(tokens, position)
            case "DISTINCT" | "DISTINCTROW" | "ALL":
                _require_distinct_place(tokens, position)
        if token.text == "OUTER":
            _require(before, "LEFT", refusal=Refusal.JOIN_TYPE)


def _require(token: Token | None, *words: str, refusal: Refusal) -> None:
    if token is None or not token.is_keyword(*words):
        raise QueryRefused(refusal)


def _require_null_place(tokens: Sequence[Token], position: int) -> None:
    """NULL is no value here, only the end of IS NULL and IS NOT NULL."""
    before = tokens[position - 1]
    if before.is_keyword("NOT"):
        before = tokens[position - 2]
    if not before.is_keyword("IS"):
        raise QueryRefused(Refusal.LITERAL)


def _require_distinct_place(tokens: Sequence[Token], position: int) -> None:
    before = tokens[position - 1]
    is_in_aggregate = before.kind is Kind.OPEN and tokens[position - 2].kind is Kind.AGGREGATE
    if not (before.is_keyword("SELECT") or is_in_aggregate):
        raise QueryRefused(Refusal.SYNTAX)


def _check_stars(tokens: Sequence[Token]) -> None:
    """A star is COUNT(*) or a multiplication between two operands."""
    for position, token in enumerate(tokens):
        if token.kind is not Kind.STAR:
            continue
        before = tokens[position - 1]
        after = tokens[position + 1] if position + 1 < len(tokens) else None
        if _is_count_star(tokens, position):
            continue
        ends = before.kind in (Kind.NAME, Kind.PARAMETER, Kind.CLOSE)
        starts = after is not None and after.kind in (
            Kind.NAME,
            Kind.PARAMETER,
            Kind.OPEN,
            Kind.AGGREGATE,
            Kind.OPERATOR,
        )
        if not (ends and starts):
            raise QueryRefused(Refusal.STAR)


def _is_count_star(tokens: Sequence[Token], position: int) -> bool:
    around = tokens[max(0, position - 2) : position + 2]
    return [token.text for token in around] == ["COUNT", "(", "*", ")"] and around[0].kind is Kind.AGGREGATE


def _check_limit(tokens: Sequence[Token]) -> None:
    for position, token in enumerate(tokens):
        if token.is_keyword("LIMIT"):
            rest = tokens[position + 1 :]
            if len(rest) != 1 or rest[0].kind is not Kind.PARAMETER:
                raise QueryRefused(Refusal.LIMIT)
