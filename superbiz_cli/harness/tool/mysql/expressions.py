"""The grammar of an accepted query: the only shapes that exist behind the validator.

`Name` is a column as the model wrote it; after `names` has resolved a tree it holds `Column` and
`AliasRef` instead. Scalars and predicates are two sorts: a predicate is never an operand of a
comparison, so that no precedence rule of a server is ever in doubt.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import TypeAlias, Union


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
