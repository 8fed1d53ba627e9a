"""Layer 4: every name is one of the allow-list, and means one thing only.

Tables and aliases are compared exactly, because servers on Linux do; columns without regard to
case, because servers everywhere do, and they take the spelling of the allow-list. A name in GROUP
BY, HAVING or ORDER BY may be that of an output column; where a server would have to choose between
an output column and another column, the query is refused.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from enum import Enum, auto

from superbiz_cli.harness.tool.mysql import expressions as ast
from superbiz_cli.harness.tool.mysql.contract import DataSource, QueryRefused, Refusal
from superbiz_cli.harness.tool.mysql.render import readable
from superbiz_cli.harness.tool.mysql.traversal import children, rebuilt


class _Outputs(Enum):
    """Where a bare name may be that of an output column."""

    NOWHERE = auto()
    AS_GROUP_ITEM = auto()
    AS_ORDER_ITEM = auto()
    INSIDE_ORDER_ITEM = auto()
    ANYWHERE = auto()


_INSIDE = {
    _Outputs.NOWHERE: _Outputs.NOWHERE,
    _Outputs.AS_GROUP_ITEM: _Outputs.NOWHERE,
    _Outputs.AS_ORDER_ITEM: _Outputs.INSIDE_ORDER_ITEM,
    _Outputs.INSIDE_ORDER_ITEM: _Outputs.INSIDE_ORDER_ITEM,
    _Outputs.ANYWHERE: _Outputs.ANYWHERE,
}


@dataclass(frozen=True, slots=True)
class _Table:
    """A table in scope. `columns` maps the lower-case name to the spelling of the allow-list."""

    ref: ast.TableRef
    columns: Mapping[str, str]


def resolve_names(select: ast.Select, source: DataSource) -> ast.Select:
    """Return the query with every table, column and alias resolved. Raises QueryRefused."""
    tables = tuple(_table(ref, source) for ref in select.tables)
    _refuse_duplicates([table.ref.name for table in tables], Refusal.DUPLICATE_ALIAS)
    columns_only = _Resolver(tables, ())
    outputs = tuple(_output(output, columns_only) for output in select.outputs)
    _refuse_duplicates([output.name for output in outputs], Refusal.DUPLICATE_OUTPUT)
    resolver = _Resolver(tables, outputs)
    return replace(
        select,
        tables=tuple(table.ref for table in tables),
        outputs=outputs,
        joins=tuple(_join(join, tables) for join in select.joins),
        where=None if select.where is None else columns_only.resolve(select.where),
        group_by=tuple(resolver.resolve(item, _Outputs.AS_GROUP_ITEM) for item in select.group_by),
        having=None if select.having is None else resolver.resolve(select.having, _Outputs.ANYWHERE),
        order_by=tuple(
            replace(item, expression=resolver.resolve(item.expression, _Outputs.AS_ORDER_ITEM))
            for item in select.order_by
        ),
    )


def _table(ref: ast.TableRef, source: DataSource) -> _Table:
    schema = ref.schema or source.default_schema
    columns = source.allowed.get(schema, {}).get(ref.table)
    if columns is None:
        raise QueryRefused(Refusal.TABLE)
    return _Table(replace(ref, schema=schema), {column.lower(): column for column in columns})


def _join(join: ast.Join, tables: Sequence[_Table]) -> ast.Join:
    """Resolve ON with the tables that are joined so far: a server sees no others there."""
    return replace(join, on=_Resolver(tables[: join.table + 1], ()).resolve(join.on))


def _output(output: ast.OutputColumn, resolver: _Resolver) -> ast.OutputColumn:
    expression = resolver.resolve(output.expression)
    return replace(
        output, expression=expression, name=output.name if output.is_alias else readable(expression)
    )


@dataclass(frozen=True, slots=True)
class _Resolver:
    tables: Sequence[_Table]
    outputs: Sequence[ast.OutputColumn]

    def resolve(self, expression: ast.Expression, outputs: _Outputs = _Outputs.NOWHERE) -> ast.Expression:
        if isinstance(expression, ast.Name):
            return self._name(expression, outputs)
        inner = _Outputs.NOWHERE if isinstance(expression, ast.Aggregate) else _INSIDE[outputs]
        return rebuilt(expression, [self.resolve(child, inner) for child in children(expression)])

    def _name(self, name: ast.Name, outputs: _Outputs) -> ast.Expression:
        columns = list(self._columns(name))
        output = self._output(name, outputs)
        if output is not None and output.expression not in columns:
            if columns and outputs is not _Outputs.AS_ORDER_ITEM:
                raise QueryRefused(Refusal.ALIAS_AMBIGUOUS)
            if outputs is _Outputs.INSIDE_ORDER_ITEM:
                raise QueryRefused(Refusal.COLUMN)
            return ast.AliasRef(output.name, output.expression)
        if output is not None and outputs is _Outputs.AS_ORDER_ITEM:
            return output.expression
        if len(columns) != 1:
            raise QueryRefused(Refusal.COLUMN_AMBIGUOUS if columns else Refusal.COLUMN)
        return columns[0]

    def _columns(self, name: ast.Name) -> Sequence[ast.Column]:
        *qualifier, column = name.parts
        return [
            ast.Column(position, table.columns[column.lower()])
            for position, table in enumerate(self.tables)
            if column.lower() in table.columns and _is_qualified_by(table.ref, qualifier)
        ]

    def _output(self, name: ast.Name, outputs: _Outputs) -> ast.OutputColumn | None:
        if outputs is _Outputs.NOWHERE or len(name.parts) != 1:
            return None
        named = [output for output in self.outputs if output.name.lower() == name.parts[0].lower()]
        return named[0] if named and (named[0].is_alias or outputs is _Outputs.AS_ORDER_ITEM) else None


def _is_qualified_by(ref: ast.TableRef, qualifier: Sequence[str]) -> bool:
    """Whether `qualifier` names this table; an alias hides the table's own name and schema."""
    if len(qualifier) < 2:
        return list(qualifier) in ([], [ref.name])
    return ref.alias is None and list(qualifier) == [ref.schema, ref.table]


def _refuse_duplicates(names: Sequence[str], refusal: Refusal) -> None:
    if len({name.lower() for name in names}) != len(names):
        raise QueryRefused(refusal)
