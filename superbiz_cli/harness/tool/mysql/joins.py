"""Layer 5: a join relates the new table to those before it, or it would multiply the rows."""

from __future__ import annotations

from superbiz_cli.harness.tool.mysql import expressions as ast
from superbiz_cli.harness.tool.mysql.contract import QueryRefused, Refusal


def check_joins(select: ast.Select) -> None:
    """Refuse a join whose ON has no `column = column` between the new table and an earlier one.

    The equality must hold for every joined pair, so only the operands of the outermost AND count.
    """
    for join in select.joins:
        if not any(_relates(condition, join.table) for condition in _conjuncts(join.on)):
            raise QueryRefused(Refusal.JOIN_CONDITION)


def _conjuncts(on: ast.Expression) -> tuple[ast.Expression, ...]:
    match on:
        case ast.Logical(op=ast.LogicalOp.AND, operands=operands):
            return tuple(part for operand in operands for part in _conjuncts(operand))
        case _:
            return (on,)


def _relates(condition: ast.Expression, table: int) -> bool:
    match condition:
        case ast.Comparison(
            op=ast.ComparisonOp.EQ, left=ast.Column(table=left), right=ast.Column(table=right)
        ):
            return table in (left, right) and left != right
        case _:
            return False
