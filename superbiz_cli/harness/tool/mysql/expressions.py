"""The grammar of an accepted query: the only shapes that exist behind the validator.

`Name` is a column as the model wrote it; after `names` has resolved a tree it holds `Column` and
`AliasRef` instead. Scalars and predicates are two sorts: a predicate is never an operand of a
comparison, so that no precedence rule of a server is ever in doubt.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from typing import TypeAlias, Union, assert_never


class ArithmeticOp(StrEnum):
    """Binary operators on numbers; `%` and DIV as in MySQL."""

    ADD = "+"
    SUBTRACT = "-"
    MULTIPLY = "*"
    DIVIDE = "/"
    INTEGER_DIVIDE = "DIV"
    MODULO = "%"


class ComparisonOp(StrEnum):
    """Comparisons; `<=>` is equality that treats NULL as a value."""

    EQ = "="
    NE = "<>"
    LT = "<"
    LE = "<="
    GT = ">"
    GE = ">="
    NULL_SAFE_EQ = "<=>"


class AggregateFunction(StrEnum):
    """The five functions that exist."""

    COUNT = "COUNT"
    SUM = "SUM"
    AVG = "AVG"
    MIN = "MIN"
    MAX = "MAX"


class LogicalOp(StrEnum):
    """Connectives of predicates."""

    AND = "AND"
    OR = "OR"


class JoinKind(StrEnum):
    """The two joins that exist."""

    INNER = "INNER"
    LEFT = "LEFT"


@dataclass(frozen=True, slots=True)
class Name:
    """A column or alias as written: one to three parts, not yet resolved."""

    parts: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Column:
    """A column of the allow-list. `table` is the position of its table in the FROM clause."""

    table: int
    column: str


@dataclass(frozen=True, slots=True)
class AliasRef:
    """A reference to an output column by its name; the server gets `target` instead."""

    name: str
    target: Expression


@dataclass(frozen=True, slots=True)
class Parameter:
    """A `?`, by its position among all `?` of the query."""

    position: int


@dataclass(frozen=True, slots=True)
class Arithmetic:
    """`left op right`."""

    op: ArithmeticOp
    left: Expression
    right: Expression


@dataclass(frozen=True, slots=True)
class Negated:
    """Unary minus."""

    operand: Expression


@dataclass(frozen=True, slots=True)
class Aggregate:
    """An aggregate; COUNT(*) has no arguments, COUNT(DISTINCT ...) may have several."""

    function: AggregateFunction
    arguments: tuple[Expression, ...] = ()
    distinct: bool = False


@dataclass(frozen=True, slots=True)
class Comparison:
    """`left op right` between two scalars."""

    op: ComparisonOp
    left: Expression
    right: Expression


@dataclass(frozen=True, slots=True)
class IsNull:
    """`operand IS NULL`."""

    operand: Expression


@dataclass(frozen=True, slots=True)
class InList:
    """`operand IN (items)`; at least one item."""

    operand: Expression
    items: tuple[Expression, ...]


@dataclass(frozen=True, slots=True)
class Between:
    """`operand BETWEEN low AND high`."""

    operand: Expression
    low: Expression
    high: Expression


@dataclass(frozen=True, slots=True)
class Like:
    """`operand LIKE pattern`."""

    operand: Expression
    pattern: Expression


@dataclass(frozen=True, slots=True)
class Truth:
    """A bare column as a condition."""

    operand: Expression


@dataclass(frozen=True, slots=True)
class Not:
    """`NOT operand`."""

    operand: Expression


@dataclass(frozen=True, slots=True)
class Logical:
    """Two or more predicates joined by one connective."""

    op: LogicalOp
    operands: tuple[Expression, ...]


Scalar: TypeAlias = Union[Name, Column, AliasRef, Parameter, Arithmetic, Negated, Aggregate]
Predicate: TypeAlias = Union[Comparison, IsNull, InList, Between, Like, Truth, Not, Logical]
Expression: TypeAlias = Union[Scalar, Predicate]

PREDICATES = (Comparison, IsNull, InList, Between, Like, Truth, Not, Logical)


@dataclass(frozen=True, slots=True)
class OutputColumn:
    """One item of the SELECT list. `name` is its alias, or what the result calls it."""

    expression: Expression
    name: str
    is_alias: bool


@dataclass(frozen=True, slots=True)
class TableRef:
    """A table in FROM or JOIN. `schema` is None as long as it is not resolved."""

    schema: str | None
    table: str
    alias: str | None

    @property
    def name(self) -> str:
        """What columns are qualified with."""
        return self.alias or self.table


@dataclass(frozen=True, slots=True)
class Join:
    """The join of table number `table` to those before it."""

    kind: JoinKind
    table: int
    on: Expression


@dataclass(frozen=True, slots=True)
class Ordering:
    """One item of ORDER BY."""

    expression: Expression
    descending: bool


@dataclass(frozen=True, slots=True)
class Select:
    """A whole query. `tables[0]` is in FROM; `joins[i]` brings in `tables[i + 1]`."""

    distinct: bool
    outputs: tuple[OutputColumn, ...]
    tables: tuple[TableRef, ...]
    joins: tuple[Join, ...] = ()
    where: Expression | None = None
    group_by: tuple[Expression, ...] = ()
    having: Expression | None = None
    order_by: tuple[Ordering, ...] = ()
    limit: Parameter | None = None


def children(expression: Expression) -> tuple[Expression, ...]:
    """Return the direct operands, in the order in which they are written."""
    match expression:
        case Name() | Column() | Parameter():
            return ()
        case AliasRef(target=target):
            return (target,)
        case Arithmetic(left=left, right=right) | Comparison(left=left, right=right):
            return (left, right)
        case (
            Negated(operand=operand) | IsNull(operand=operand) | Truth(operand=operand) | Not(operand=operand)
        ):
            return (operand,)
        case Aggregate(arguments=arguments):
            return arguments
        case InList(operand=operand, items=items):
            return (operand, *items)
        case Between(operand=operand, low=low, high=high):
            return (operand, low, high)
        case Like(operand=operand, pattern=pattern):
            return (operand, pattern)
        case Logical(operands=operands):
            return operands
        case _:
            assert_never(expression)


def rebuilt(expression: Expression, operands: Sequence[Expression]) -> Expression:
    """Return the expression with its direct operands replaced; see `children` for their order."""
    match expression:
        case Name() | Column() | Parameter():
            return expression
        case AliasRef() | Aggregate() | Logical() | InList():
            return _rebuilt_list(expression, operands)
        case Arithmetic() | Comparison():
            return replace(expression, left=operands[0], right=operands[1])
        case Negated() | IsNull() | Truth() | Not():
            return replace(expression, operand=operands[0])
        case Between():
            return replace(expression, operand=operands[0], low=operands[1], high=operands[2])
        case Like():
            return replace(expression, operand=operands[0], pattern=operands[1])
        case _:
            assert_never(expression)


def _rebuilt_list(
    expression: AliasRef | Aggregate | Logical | InList, operands: Sequence[Expression]
) -> Expression:
    match expression:
        case AliasRef():
            return replace(expression, target=operands[0])
        case Aggregate():
            return replace(expression, arguments=tuple(operands))
        case Logical():
            return replace(expression, operands=tuple(operands))
        case InList():
            return replace(expression, operand=operands[0], items=tuple(operands[1:]))
        case _:
            assert_never(expression)


def walk(expression: Expression) -> Iterator[Expression]:
    """Yield the expression and everything in it, parents first, in written order."""
    todo = [expression]
    while todo:
        current = todo.pop()
        yield current
        todo.extend(reversed(children(current)))


def expressions_of(select: Select) -> Iterator[Expression]:
    """Yield the top-level expressions of a query in the order in which they are written."""
    yield from (output.expression for output in select.outputs)
    yield from (join.on for join in select.joins)
    if select.where is not None:
        yield select.where
    yield from select.group_by
    if select.having is not None:
        yield select.having
    yield from (ordering.expression for ordering in select.order_by)
    if select.limit is not None:
        yield select.limit
