"""Layer 6: what a result may say. No forged cell, no oracle, no accidental value.

A value that the model passes in must not come back as a finding; a secret must not be learned from
which rows come back; a column that is neither grouped nor aggregated would be any row's value.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from superbiz_cli.harness.tool.mysql import expressions as ast
from superbiz_cli.harness.tool.mysql.contract import QueryRefused, Refusal
from superbiz_cli.harness.tool.mysql.sensitive import is_sensitive_name
from superbiz_cli.harness.tool.mysql.traversal import children, expressions_of, walk

MAX_OPERANDS_OF_AN_OUTPUT = 8

_SELF_CANCELLING = frozenset(
    {
        ast.ArithmeticOp.SUBTRACT,
        ast.ArithmeticOp.DIVIDE,
        ast.ArithmeticOp.INTEGER_DIVIDE,
        ast.ArithmeticOp.MODULO,
    }
)


def check_provenance(select: ast.Select) -> None:
    """Refuse what could forge evidence or leak a secret. Raises QueryRefused."""
    for output in select.outputs:
        _check_output(output.expression)
    for expression in _conditions(select):
        _refuse_aggregates(expression)
    for expression in [*_sorting(select), *select.group_by]:
        if not any(isinstance(node, ast.Column | ast.Aggregate) for node in walk(expression)):
            raise QueryRefused(Refusal.PLACEHOLDER)  # a bare number would be the position of a column
    for expression in select.group_by:
        _refuse_aggregates(expression)
        if _has_parameter(expression):
            raise QueryRefused(Refusal.PLACEHOLDER)
    for expression in expressions_of(select):
        _check_aggregates_are_flat(expression)
        _check_predicates_look_at_data(expression)
    _check_sensitive_columns(select)
    _check_grouping(select)


def is_sensitive_output(output: ast.OutputColumn) -> bool:
    """Whether the cells of this output column must be hidden: a secret is in it, or in its name."""
    return is_sensitive_name(output.name) or _has_sensitive_column(output.expression)


def _conditions(select: ast.Select) -> Iterator[ast.Expression]:
    yield from (join.on for join in select.joins)
    if select.where is not None:
        yield select.where


def _sorting(select: ast.Select) -> Iterator[ast.Expression]:
    yield from (item.expression for item in select.order_by)


def _check_output(expression: ast.Expression) -> None:
    """A parameter may only be compared with data, and only where an aggregate counts the answers."""
    _refuse_bare_parameters(expression, is_compared=False, is_aggregated=False)
    leaves = [
        node
        for node in walk(expression)
        if isinstance(node, ast.Column) or (isinstance(node, ast.Aggregate) and not node.arguments)
    ]
    if len(leaves) > MAX_OPERANDS_OF_AN_OUTPUT:
        raise QueryRefused(Refusal.TOO_COMPLEX)
    for node in walk(expression):
        if isinstance(node, ast.Arithmetic) and node.op in _SELF_CANCELLING and node.left == node.right:
            raise QueryRefused(Refusal.OPERATOR)  # x - x and x / x are constants, not findings
        if isinstance(node, ast.Comparison) and node.left == node.right:
            raise QueryRefused(Refusal.OPERATOR)  # so is x = x


def _refuse_bare_parameters(expression: ast.Expression, *, is_compared: bool, is_aggregated: bool) -> None:
    if isinstance(expression, ast.Parameter) and not (is_compared and is_aggregated):
        raise QueryRefused(Refusal.PLACEHOLDER_IN_PROJECTION)
    is_aggregate = isinstance(expression, ast.Aggregate)
    for child in children(expression):
        _refuse_bare_parameters(
            child,
            is_compared=not is_aggregate and (is_compared or isinstance(expression, ast.PREDICATES)),
            is_aggregated=is_aggregated or is_aggregate,
        )


def _refuse_aggregates(expression: ast.Expression) -> None:
    if any(isinstance(node, ast.Aggregate) for node in walk(expression)):
        raise QueryRefused(Refusal.AGGREGATE)


def _check_aggregates_are_flat(expression: ast.Expression) -> None:
    for node in walk(expression):
        if isinstance(node, ast.Aggregate):
            for argument in node.arguments:
                _refuse_aggregates(argument)


def _check_predicates_look_at_data(expression: ast.Expression) -> None:
    for node in walk(expression):
        is_leaf = isinstance(node, ast.PREDICATES) and not isinstance(node, ast.Logical | ast.Not)
        if is_leaf and not any(isinstance(part, ast.Column | ast.Aggregate) for part in walk(node)):
            raise QueryRefused(Refusal.PREDICATE_WITHOUT_COLUMN)


def _check_sensitive_columns(select: ast.Select) -> None:
    """A secret may stand in the SELECT list, where it is hidden, and nowhere else.

    An output column that is hidden for its name decides nothing either: one rule for one name.
    """
    suspects = [node for output in select.outputs for node in _predicates(output.expression)]
    suspects += [*_conditions(select), *select.group_by, *_sorting(select)]
    suspects += [] if select.having is None else [select.having]
    if any(_has_sensitive_column(suspect) for suspect in suspects):
        raise QueryRefused(Refusal.SENSITIVE_COLUMN)


def _predicates(expression: ast.Expression) -> Iterator[ast.Expression]:
    return (node for node in walk(expression) if isinstance(node, ast.PREDICATES))


def _has_sensitive_column(expression: ast.Expression) -> bool:
    for node in walk(expression):
        match node:
            case ast.Column(column=name) | ast.AliasRef(name=name):
                if is_sensitive_name(name):
                    return True
    return False


def _has_parameter(expression: ast.Expression) -> bool:
    return any(isinstance(node, ast.Parameter) for node in walk(expression))


def _check_grouping(select: ast.Select) -> None:
    """Every value must be grouped or aggregated, if anything is; servers differ in how strict they are."""
    checked: list[ast.Expression] = [output.expression for output in select.outputs]
    checked += [] if select.having is None else [select.having]
    checked += _sorting(select)
    is_aggregated = any(isinstance(node, ast.Aggregate) for item in checked for node in walk(item))
    if select.having is not None and not (select.group_by or is_aggregated):
        raise QueryRefused(Refusal.NOT_GROUPED)
    if not (select.group_by or is_aggregated):
        return
    groups = [_without_alias(item) for item in select.group_by]
    for item in checked:
        if not _is_grouped(item, groups):
            raise QueryRefused(Refusal.NOT_GROUPED)


def _is_grouped(expression: ast.Expression, groups: Sequence[ast.Expression]) -> bool:
    plain = _without_alias(expression)
    if plain in groups or isinstance(plain, ast.Aggregate | ast.Parameter):
        return True
    parts = children(plain)
    return bool(parts) and all(_is_grouped(part, groups) for part in parts)


def _without_alias(expression: ast.Expression) -> ast.Expression:
    return expression.target if isinstance(expression, ast.AliasRef) else expression
