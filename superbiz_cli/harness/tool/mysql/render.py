"""Writing an accepted query: for people and the model, for MySQL, for SQLite, and as lineage.

A server gets no word that the model has chosen: tables are called t0, t1, ..., columns are those of
the allow-list, output aliases are replaced by what they stand for, and values travel as parameters.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from typing import assert_never

from superbiz_cli.harness.contract.strict import JsonValue, canonical_json
from superbiz_cli.harness.tool.mysql import expressions as ast
from superbiz_cli.harness.tool.mysql.tokens import IDENTIFIER


def canonical(select: ast.Select) -> str:
    """Return the query with `?` for each parameter. Checking it again gives the same text."""
    return _Canonical(select.tables).statement(select)


def mysql_statement(select: ast.Select, *, row_limit: int) -> str:
    """Return the text for PyMySQL: named parameters `%(p0)s`, and every other percent sign doubled."""
    return _Mysql(select.tables).statement(select, row_limit=row_limit)


def sqlite_statement(select: ast.Select, *, row_limit: int) -> str:
    """Return the text for SQLite: named parameters `:p0`; division and LIKE behave as in MySQL."""
    return _Sqlite(select.tables).statement(select, row_limit=row_limit)


def scope_text(select: ast.Select, values: Sequence[JsonValue], *, row_limit: int) -> str:
    """Return what a query asks, equal for queries between which a server sees no difference.

    Values stand in their places; the order of conditions, of the members of a list and of the sides of
    an equation makes none.
    """
    return _Scope(select.tables, values).statement(select, row_limit=row_limit)


def readable(expression: ast.Expression) -> str:
    """Return an expression as a heading: bare column names, no quotes."""
    return _Readable(()).expression(expression)


def lineage(expression: ast.Expression, tables: Sequence[ast.TableRef]) -> str:
    """Return where a value comes from: "schema.table.column", or an expression over such names."""
    return _Lineage(tables).expression(expression)


class _Writer(ABC):
    """Writes expressions; what differs between the kinds of text is in the overridden methods."""

    expands_aliases = True

    def __init__(self, tables: Sequence[ast.TableRef]) -> None:
        self._tables = tables

    def statement(self, select: ast.Select, *, row_limit: int | None = None) -> str:
        parts = ["SELECT DISTINCT" if select.distinct else "SELECT"]
        parts.append(", ".join(self.output(output) for output in select.outputs))
        parts.append(f"FROM {self.table(0)}")
        parts += [
            f"{join.kind} JOIN {self.table(join.table)} ON {self.expression(join.on)}"
            for join in select.joins
        ]
        if select.where is not None:
            parts.append(f"WHERE {self.expression(select.where)}")
        if select.group_by:
            parts.append("GROUP BY " + ", ".join(self.expression(item) for item in select.group_by))
        if select.having is not None:
            parts.append(f"HAVING {self.expression(select.having)}")
        if select.order_by:
            parts.append("ORDER BY " + ", ".join(self.ordering(item) for item in select.order_by))
        if row_limit is not None:
            parts.append(f"LIMIT {row_limit:d}")
        elif select.limit is not None:
            parts.append(f"LIMIT {self.parameter(select.limit)}")
        return " ".join(parts)

    def output(self, output: ast.OutputColumn) -> str:
        return self.expression(output.expression)

    def ordering(self, item: ast.Ordering) -> str:
        return self.expression(item.expression) + (" DESC" if item.descending else "")

    @abstractmethod
    def table(self, position: int) -> str: ...

    @abstractmethod
    def column(self, column: ast.Column) -> str: ...

    @abstractmethod
    def parameter(self, parameter: ast.Parameter) -> str: ...

    def expression(self, expression: ast.Expression) -> str:
        match expression:
            case ast.Name():
                raise ValueError("names must be resolved before they are written")
            case ast.Column():
                return self.column(expression)
            case ast.Parameter():
                return self.parameter(expression)
            case ast.AliasRef(target=target):
                return self.alias(expression) if not self.expands_aliases else self.expression(target)
            case ast.Aggregate():
                return self.aggregate(expression)
            case ast.Arithmetic():
                return self.arithmetic(expression)
            case ast.Negated(operand=operand):
                return f"- {self.operand(operand)}"
            case _:
                return self.predicate(expression)

    def predicate(self, expression: ast.Predicate) -> str:
        match expression:
            case ast.Comparison(op=op, left=left, right=right):
                return f"{self.operand(left)} {self.comparison(op)} {self.operand(right)}"
            case ast.IsNull(operand=operand):
                return f"{self.operand(operand)} IS NULL"
            case ast.InList(operand=operand, items=items):
                return f"{self.operand(operand)} IN ({', '.join(self.operand(item) for item in items)})"
            case ast.Between(operand=operand, low=low, high=high):
                return f"{self.operand(operand)} BETWEEN {self.operand(low)} AND {self.operand(high)}"
            case ast.Like():
                return self.like(expression)
            case ast.Truth(operand=operand):
                return self.operand(operand)
            case ast.Not(operand=operand):
                return f"NOT ({self.expression(operand)})"
            case ast.Logical(op=op, operands=operands):
                return f" {op} ".join(self.condition(operand) for operand in operands)
            case _:
                assert_never(expression)

    def alias(self, alias: ast.AliasRef) -> str:
        return f"`{alias.name}`"

    def operand(self, expression: ast.Expression) -> str:
        """Write an operand of a comparison or a sum; whatever has operands itself gets parentheses."""
        text = self.expression(expression)
        shown = (
            expression.target if isinstance(expression, ast.AliasRef) and self.expands_aliases else expression
        )
        return f"({text})" if isinstance(shown, (ast.Arithmetic, ast.Negated, *ast.PREDICATES)) else text

    def condition(self, expression: ast.Expression) -> str:
        text = self.expression(expression)
        return f"({text})" if isinstance(expression, ast.Logical | ast.Between) else text

    def aggregate(self, aggregate: ast.Aggregate) -> str:
        arguments = ", ".join(self.expression(argument) for argument in aggregate.arguments) or "*"
        return f"{aggregate.function}({'DISTINCT ' if aggregate.distinct else ''}{arguments})"

    def arithmetic(self, arithmetic: ast.Arithmetic) -> str:
        op = self.operator(arithmetic.op)
        return f"{self.operand(arithmetic.left)} {op} {self.operand(arithmetic.right)}"

    def operator(self, op: ast.ArithmeticOp) -> str:
        return op.value

    def comparison(self, op: ast.ComparisonOp) -> str:
        return op.value

    def like(self, like: ast.Like) -> str:
        return f"{self.operand(like.operand)} LIKE {self.operand(like.pattern)}"


class _Canonical(_Writer):
    expands_aliases = False

    def output(self, output: ast.OutputColumn) -> str:
        text = self.expression(output.expression)
        return f"{text} AS `{output.name}`" if output.is_alias else text

    def table(self, position: int) -> str:
        ref = self._tables[position]
        text = f"`{ref.schema}`.`{ref.table}`"
        if IDENTIFIER.fullmatch(ref.schema or "") is None:
            text = f"`{ref.table}`"  # a schema that no query can name is the default one
        return text if ref.alias is None else f"{text} AS `{ref.alias}`"

    def column(self, column: ast.Column) -> str:
        return f"`{self._tables[column.table].name}`.`{column.column}`"

    def parameter(self, parameter: ast.Parameter) -> str:
        return "?"


class _Readable(_Canonical):
    expands_aliases = True

    def column(self, column: ast.Column) -> str:
        return column.column


class _Lineage(_Canonical):
    expands_aliases = True

    def column(self, column: ast.Column) -> str:
        ref = self._tables[column.table]
        return f"{ref.schema}.{ref.table}.{column.column}"


class _Mysql(_Writer):
    def table(self, position: int) -> str:
        ref = self._tables[position]
        schema = (ref.schema or "").replace("`", "``").replace("%", "%%")  # configured, not an identifier
        return f"`{schema}`.`{ref.table}` AS `t{position}`"

    def column(self, column: ast.Column) -> str:
        return f"`t{column.table}`.`{column.column}`"

    def parameter(self, parameter: ast.Parameter) -> str:
        return f"%(p{parameter.position})s"

    def operator(self, op: ast.ArithmeticOp) -> str:
        return "%%" if op is ast.ArithmeticOp.MODULO else op.value


class _Scope(_Mysql):
    def __init__(self, tables: Sequence[ast.TableRef], values: Sequence[JsonValue]) -> None:
        super().__init__(tables)
        self._values = values

    def parameter(self, parameter: ast.Parameter) -> str:
        return canonical_json(self._values[parameter.position])

    def predicate(self, expression: ast.Predicate) -> str:
        match expression:
            case ast.Logical(op=op, operands=operands):
                return f" {op} ".join(sorted({self.condition(operand) for operand in operands}))
            case ast.InList(operand=operand, items=items):
                members = sorted({self.operand(item) for item in items})
                return f"{self.operand(operand)} IN ({', '.join(members)})"
            case ast.Comparison(op=ast.ComparisonOp.EQ | ast.ComparisonOp.NULL_SAFE_EQ as op):
                sides = sorted((self.operand(expression.left), self.operand(expression.right)))
                return f" {op} ".join(sides)
            case _:
                return super().predicate(expression)


class _Sqlite(_Writer):
    def table(self, position: int) -> str:
        return f'"{self._tables[position].table}" AS "t{position}"'

    def column(self, column: ast.Column) -> str:
        return f'"t{column.table}"."{column.column}"'

    def parameter(self, parameter: ast.Parameter) -> str:
        return f":p{parameter.position}"

    def arithmetic(self, arithmetic: ast.Arithmetic) -> str:
        left, right = self.operand(arithmetic.left), self.operand(arithmetic.right)
        match arithmetic.op:
            case ast.ArithmeticOp.DIVIDE:
                return f"CAST({left} AS REAL) / {right}"
            case ast.ArithmeticOp.INTEGER_DIVIDE:
                return f"CAST({left} / {right} AS INTEGER)"
            case op:
                return f"{left} {op} {right}"

    def comparison(self, op: ast.ComparisonOp) -> str:
        return "IS" if op is ast.ComparisonOp.NULL_SAFE_EQ else op.value

    def like(self, like: ast.Like) -> str:
        return f"{super().like(like)} ESCAPE '\\'"
