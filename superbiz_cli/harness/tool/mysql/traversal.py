"""Walking through a query, and rebuilding expressions with other operands."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import assert_never

from superbiz_cli.harness.tool.mysql.expressions import (
    Aggregate,
    AliasRef,
    Arithmetic,
    Between,
    Column,
    Comparison,
    Expression,
    InList,
    IsNull,
    Like,
    Logical,
    Name,
    Negated,
    Not,
    Parameter,
    Select,
    Truth,
)


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
        case AliasRef():
            return replace(expression, target=operands[0])
        case Aggregate():
            return replace(expression, arguments=tuple(operands))
        case Logical():
            return replace(expression, operands=tuple(operands))
        case InList():
            return replace(expression, operand=operands[0], items=tuple(operands[1:]))
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
