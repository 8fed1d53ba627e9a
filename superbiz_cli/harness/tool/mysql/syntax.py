"""Layer 3: the grammar. The only module that knows sqlglot.

Names go to the parser quoted and parameters by number, so that no word of the model can mean
anything to it. Of the tree that comes back only what is matched here is accepted: every node type,
every argument that a node carries, and the place where it stands.
"""

from __future__ import annotations

import threading
from collections.abc import Sequence

import sqlglot
from sqlglot import exp

from superbiz_cli.harness.tool.mysql import expressions as ast
from superbiz_cli.harness.tool.mysql.contract import QueryRefused, Refusal
from superbiz_cli.harness.tool.mysql.tokens import Kind, Token
from superbiz_cli.harness.tool.mysql.traversal import expressions_of, walk

MAX_DEPTH = 48
MAX_TABLES = 8
MAX_OUTPUTS = 64

_ARITHMETIC: dict[type[exp.Expr], ast.ArithmeticOp] = {
    exp.Add: ast.ArithmeticOp.ADD,
    exp.Sub: ast.ArithmeticOp.SUBTRACT,
    exp.Mul: ast.ArithmeticOp.MULTIPLY,
    exp.Div: ast.ArithmeticOp.DIVIDE,
    exp.IntDiv: ast.ArithmeticOp.INTEGER_DIVIDE,
    exp.Mod: ast.ArithmeticOp.MODULO,
}
_COMPARISONS: dict[type[exp.Expr], ast.ComparisonOp] = {
    exp.EQ: ast.ComparisonOp.EQ,
    exp.NEQ: ast.ComparisonOp.NE,
    exp.LT: ast.ComparisonOp.LT,
    exp.LTE: ast.ComparisonOp.LE,
    exp.GT: ast.ComparisonOp.GT,
    exp.GTE: ast.ComparisonOp.GE,
    exp.NullSafeEQ: ast.ComparisonOp.NULL_SAFE_EQ,
}
_AGGREGATES: dict[type[exp.Expr], ast.AggregateFunction] = {
    exp.Count: ast.AggregateFunction.COUNT,
    exp.Sum: ast.AggregateFunction.SUM,
    exp.Avg: ast.AggregateFunction.AVG,
    exp.Min: ast.AggregateFunction.MIN,
    exp.Max: ast.AggregateFunction.MAX,
}
_LOGICAL: dict[type[exp.Expr], ast.LogicalOp] = {exp.And: ast.LogicalOp.AND, exp.Or: ast.LogicalOp.OR}
_PREDICATE_TYPES = frozenset({*_COMPARISONS, *_LOGICAL, exp.Is, exp.In, exp.Between, exp.Like, exp.Not})


def parse_select(tokens: Sequence[Token]) -> ast.Select:
    """Parse the tokens of one checked statement. Raises QueryRefused, and nothing else.

    sqlglot recurses; where the caller's stack leaves too little room, a fresh thread has enough.
    """
    outcome = _attempt(tokens) or _attempt_on_a_fresh_stack(tokens)
    if isinstance(outcome, QueryRefused):
        raise outcome
    return outcome


def _attempt(tokens: Sequence[Token]) -> ast.Select | QueryRefused | None:
    """Return the query, why it is none, or None if the stack is too short to tell."""
    try:
        return _parse(tokens)
    except QueryRefused as refused:
        return refused
    except RecursionError:
        return None
    except Exception:  # whatever surprises the parser is not a query
        return QueryRefused(Refusal.SYNTAX)


def _attempt_on_a_fresh_stack(tokens: Sequence[Token]) -> ast.Select | QueryRefused:
    outcomes: list[ast.Select | QueryRefused | None] = []
    thread = threading.Thread(target=lambda: outcomes.append(_attempt(tokens)), name="sql-parse")
    thread.start()
    thread.join()
    return outcomes[0] or QueryRefused(Refusal.TOO_DEEP)


def _parser_text(tokens: Sequence[Token]) -> str:
    parts: list[str] = []
    parameters = 0
    for token in tokens:
        match token.kind:
            case Kind.NAME:
                parts.append(f"`{token.text}`")
            case Kind.PARAMETER:
                parts.append(f":p{parameters}")
                parameters += 1
            case Kind.KEYWORD if token.text == "ALL":
                continue
            case Kind.KEYWORD:
                parts.append({"DISTINCTROW": "DISTINCT", "MOD": "%"}.get(token.text, token.text))
            case _:
                parts.append(token.text)
    return " ".join(parts)


def _parse(tokens: Sequence[Token]) -> ast.Select:
    trees = sqlglot.parse(_parser_text(tokens), read="mysql", error_level=sqlglot.ErrorLevel.RAISE)
    if len(trees) != 1 or type(trees[0]) is not exp.Select:
        raise QueryRefused(Refusal.SYNTAX)
    select = select_of_tree(trees[0])
    seen = [
        node.position
        for expression in expressions_of(select)
        for node in walk(expression)
        if isinstance(node, ast.Parameter)
    ]
    if seen != list(range(sum(token.kind is Kind.PARAMETER for token in tokens))):
        raise QueryRefused(Refusal.PLACEHOLDER)  # the tree lost, doubled or reordered one
    return select


def select_of_tree(node: exp.Select) -> ast.Select:
    """Return the query that a tree of the parser stands for. Raises QueryRefused for any other tree."""
    _only(node, "distinct", "expressions", "from_", "joins", "where", "group", "having", "order", "limit")
    outputs = _list(node, "expressions")
    if not outputs or len(outputs) > MAX_OUTPUTS:
        raise QueryRefused(Refusal.TOO_COMPLEX if outputs else Refusal.SYNTAX)
    first = _typed(_typed(node.args.get("from_"), exp.From, "this").this, exp.Table, "this", "db", "alias")
    joined = _list(node, "joins")
    if len(joined) >= MAX_TABLES:
        raise QueryRefused(Refusal.TOO_COMPLEX)
    tables = [_table(first)] + [_table(_join_node(join).this) for join in joined]
    return ast.Select(
        distinct=_is_distinct(node.args.get("distinct")),
        outputs=tuple(_output(output) for output in outputs),
        tables=tuple(tables),
        joins=tuple(_join(join, position) for position, join in enumerate(joined, start=1)),
        where=_condition(node.args.get("where"), exp.Where),
        group_by=_group_by(node.args.get("group")),
        having=_condition(node.args.get("having"), exp.Having),
        order_by=_order_by(node.args.get("order")),
        limit=_limit(node.args.get("limit")),
    )


def _only(node: exp.Expr, *allowed: str) -> None:
    """Refuse a node that carries anything beside `allowed`; False counts as something."""
    for key, value in node.args.items():
        if key not in allowed and value is not None and value != []:
            raise QueryRefused(Refusal.SYNTAX)


def _typed(node: object, kind: type[exp.Expr], *allowed: str) -> exp.Expr:
    if type(node) is not kind:
        raise QueryRefused(Refusal.SYNTAX)
    assert isinstance(node, exp.Expr)
    _only(node, *allowed)
    return node


def _list(node: exp.Expr, key: str) -> list[exp.Expr]:
    value = node.args.get(key) or []
    if not isinstance(value, list):
        raise QueryRefused(Refusal.SYNTAX)
    return value


def _is_distinct(node: object) -> bool:
    if node is None:
        return False
    _typed(node, exp.Distinct)
    return True


def _identifier(node: object) -> str:
    identifier = _typed(node, exp.Identifier, "this", "quoted")
    if not isinstance(identifier.this, str) or identifier.args.get("quoted") is not True:
        raise QueryRefused(Refusal.IDENTIFIER)
    return identifier.this


def _table(node: object) -> ast.TableRef:
    table = _typed(node, exp.Table, "this", "db", "alias")
    alias = table.args.get("alias")
    schema = table.args.get("db")
    return ast.TableRef(
        schema=None if schema is None else _identifier(schema),
        table=_identifier(table.this),
        alias=None if alias is None else _identifier(_typed(alias, exp.TableAlias, "this").this),
    )


def _join_node(node: object) -> exp.Expr:
    return _typed(node, exp.Join, "this", "side", "kind", "on")


def _join(node: exp.Expr, position: int) -> ast.Join:
    match (node.args.get("side"), node.args.get("kind")):
        case (None | "", None | "" | "INNER"):
            kind = ast.JoinKind.INNER
        case ("LEFT", None | "" | "OUTER"):
            kind = ast.JoinKind.LEFT
        case _:
            raise QueryRefused(Refusal.JOIN_TYPE)
    if node.args.get("on") is None:
        raise QueryRefused(Refusal.JOIN_CONDITION)
    return ast.Join(kind, position, _predicate(node.args["on"], MAX_DEPTH))


def _output(node: exp.Expr) -> ast.OutputColumn:
    if type(node) is exp.Alias:
        _only(node, "this", "alias")
        return ast.OutputColumn(
            _either(node.this, MAX_DEPTH), _identifier(node.args.get("alias")), is_alias=True
        )
    return ast.OutputColumn(_either(node, MAX_DEPTH), "", is_alias=False)


def _condition(node: object, kind: type[exp.Expr]) -> ast.Expression | None:
    return None if node is None else _predicate(_typed(node, kind, "this").this, MAX_DEPTH)


def _group_by(node: object) -> tuple[ast.Expression, ...]:
    if node is None:
        return ()
    items = _list(_typed(node, exp.Group, "expressions"), "expressions")
    if not items:
        raise QueryRefused(Refusal.SYNTAX)
    return tuple(_scalar(item, MAX_DEPTH) for item in items)


def _order_by(node: object) -> tuple[ast.Ordering, ...]:
    if node is None:
        return ()
    items = _list(_typed(node, exp.Order, "expressions"), "expressions")
    if not items:
        raise QueryRefused(Refusal.SYNTAX)
    return tuple(_ordering(item) for item in items)


def _ordering(node: exp.Expr) -> ast.Ordering:
    _typed(node, exp.Ordered, "this", "desc", "nulls_first")
    descending = bool(node.args.get("desc"))
    if node.args.get("nulls_first") is descending:  # anything but the server's own order of NULLs
        raise QueryRefused(Refusal.SYNTAX)
    return ast.Ordering(_either(node.this, MAX_DEPTH), descending)


def _limit(node: object) -> ast.Parameter | None:
    if node is None:
        return None
    return _parameter(_typed(node, exp.Limit, "expression").args.get("expression"))


def _parameter(node: object) -> ast.Parameter:
    name = _typed(node, exp.Placeholder, "this").this
    if not isinstance(name, str) or not name.startswith("p") or not name[1:].isdigit():
        raise QueryRefused(Refusal.PLACEHOLDER)
    return ast.Parameter(int(name[1:]))


def _unwrapped(node: object) -> object:
    while type(node) is exp.Paren:
        assert isinstance(node, exp.Expr)
        _only(node, "this")
        node = node.this
    return node


def _either(node: object, depth: int) -> ast.Expression:
    inner = _unwrapped(node)
    return _predicate(inner, depth) if type(inner) in _PREDICATE_TYPES else _scalar(inner, depth)


def _scalar(node: object, depth: int) -> ast.Expression:
    node = _unwrapped(node)
    if depth <= 0:
        raise QueryRefused(Refusal.TOO_DEEP)
    kind = type(node)
    if not isinstance(node, exp.Expr):
        raise QueryRefused(Refusal.SYNTAX)
    if kind is exp.Column:
        return _column(node)
    if kind is exp.Placeholder:
        return _parameter(node)
    if kind in _ARITHMETIC:
        _only(node, "this", "expression", "typed", "safe")
        left, right = _scalar(node.this, depth - 1), _scalar(node.args.get("expression"), depth - 1)
        return ast.Arithmetic(_ARITHMETIC[kind], left, right)
    if kind is exp.Neg:
        _only(node, "this")
        operand = _scalar(node.this, depth - 1)
        if isinstance(operand, ast.Negated):
            raise QueryRefused(Refusal.OPERATOR)
        return ast.Negated(operand)
    if kind in _AGGREGATES:
        return _aggregate(node, _AGGREGATES[kind], depth)
    raise QueryRefused(_refusal_of(node))


def _column(node: exp.Expr) -> ast.Name:
    _only(node, "this", "table", "db")
    parts = (node.args.get("db"), node.args.get("table"), node.this)
    return ast.Name(tuple(_identifier(part) for part in parts if part is not None))


def _aggregate(node: exp.Expr, function: ast.AggregateFunction, depth: int) -> ast.Aggregate:
    _only(node, "this", "big_int")
    argument = node.this
    if type(argument) is exp.Star:
        _only(argument)
        if function is not ast.AggregateFunction.COUNT:
            raise QueryRefused(Refusal.STAR)
        return ast.Aggregate(function)
    if type(argument) is not exp.Distinct:
        return ast.Aggregate(function, (_either(argument, depth - 1),))
    _only(argument, "expressions")
    arguments = _list(argument, "expressions")
    if not arguments or (len(arguments) > 1 and function is not ast.AggregateFunction.COUNT):
        raise QueryRefused(Refusal.AGGREGATE)
    return ast.Aggregate(function, tuple(_either(item, depth - 1) for item in arguments), distinct=True)


def _predicate(node: object, depth: int) -> ast.Expression:
    node = _unwrapped(node)
    if depth <= 0:
        raise QueryRefused(Refusal.TOO_DEEP)
    if not isinstance(node, exp.Expr):
        raise QueryRefused(Refusal.SYNTAX)
    kind = type(node)
    if kind in _LOGICAL:
        return _logical(node, _LOGICAL[kind], depth)
    if kind in _COMPARISONS:
        _only(node, "this", "expression")
        return ast.Comparison(_COMPARISONS[kind], *_pair(node, depth))
    if kind is exp.Not:
        _only(node, "this")
        return ast.Not(_predicate(node.this, depth - 1))
    if kind is exp.Like:
        _only(node, "this", "expression", "negate")
        like = ast.Like(*_pair(node, depth))
        return ast.Not(like) if node.args.get("negate") else like
    if kind is exp.Is:
        _only(node, "this", "expression")
        _typed(node.args.get("expression"), exp.Null)
        return ast.IsNull(_scalar(node.this, depth - 1))
    if kind is exp.In:
        return _in_list(node, depth)
    if kind is exp.Between:
        _only(node, "this", "low", "high")
        low, high = _scalar(node.args.get("low"), depth - 1), _scalar(node.args.get("high"), depth - 1)
        return ast.Between(_scalar(node.this, depth - 1), low, high)
    if kind is exp.Column:
        return ast.Truth(_column(node))
    if kind is exp.Placeholder or kind in _ARITHMETIC or kind in _AGGREGATES:
        raise QueryRefused(Refusal.PREDICATE_WITHOUT_COLUMN)
    raise QueryRefused(_refusal_of(node))


def _pair(node: exp.Expr, depth: int) -> tuple[ast.Expression, ast.Expression]:
    return _scalar(node.this, depth - 1), _scalar(node.args.get("expression"), depth - 1)


def _in_list(node: exp.Expr, depth: int) -> ast.InList:
    _only(node, "this", "expressions")
    items = _list(node, "expressions")
    if not items:
        raise QueryRefused(Refusal.SYNTAX)
    return ast.InList(_scalar(node.this, depth - 1), tuple(_scalar(item, depth - 1) for item in items))


def _logical(node: exp.Expr, op: ast.LogicalOp, depth: int) -> ast.Logical:
    """Flatten a chain of one connective: it leans to the left and may be long."""
    operands: list[ast.Expression] = []
    current: object = node
    while isinstance(current, exp.Expr) and _LOGICAL.get(type(current)) is op:
        _only(current, "this", "expression")
        operands.append(_predicate(current.args.get("expression"), depth - 1))
        current = current.this
    operands.append(_predicate(current, depth - 1))
    return ast.Logical(op, tuple(reversed(operands)))


def _refusal_of(node: exp.Expr) -> Refusal:
    """Name the reason for a node that has no place here."""
    if type(node) in _PREDICATE_TYPES:
        return Refusal.OPERATOR  # a predicate as an operand
    if isinstance(node, exp.Star):
        return Refusal.STAR
    if isinstance(node, exp.Func):
        return Refusal.FUNCTION
    if isinstance(node, exp.Dot):
        return Refusal.IDENTIFIER
    return Refusal.SYNTAX
