"""The validator: from the model's text to a plan, or to one word that says why not."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from superbiz_cli.harness.tool.mysql import expressions as ast
from superbiz_cli.harness.tool.mysql.contract import (
    DataSource,
    QueryPlan,
    QueryRefused,
    Refusal,
    ResultColumn,
)
from superbiz_cli.harness.tool.mysql.joins import check_joins
from superbiz_cli.harness.tool.mysql.names import resolve_names
from superbiz_cli.harness.tool.mysql.parameters import check_parameters, row_limit
from superbiz_cli.harness.tool.mysql.provenance import check_provenance, is_sensitive_output
from superbiz_cli.harness.tool.mysql.render import canonical, lineage
from superbiz_cli.harness.tool.mysql.structure import check_structure
from superbiz_cli.harness.tool.mysql.text import check_text
from superbiz_cli.harness.tool.mysql.tokens import Kind, read_tokens


@dataclass(frozen=True, slots=True)
class QueryVerdict:
    """Whether a query would be run, as what, or why not. Nothing but the query itself is looked at."""

    accepted: bool
    category: Refusal | None = None
    canonical: str | None = None


def plan_query(source: DataSource, sql: str, parameters: Sequence[object] = ()) -> QueryPlan:
    """Return the plan of an acceptable query. Raises QueryRefused, whatever happens on the way."""
    try:
        return _plan(source, sql, parameters)
    except QueryRefused:
        raise
    except RecursionError as error:
        raise QueryRefused(Refusal.TOO_DEEP) from error
    except Exception as error:  # a surprise is a refusal: deny by default
        raise QueryRefused(Refusal.SYNTAX) from error


def check_query(source: DataSource, sql: str, parameters: Sequence[object] = ()) -> QueryVerdict:
    """Tell whether the query would be accepted, without a connection."""
    try:
        return QueryVerdict(accepted=True, canonical=plan_query(source, sql, parameters).canonical)
    except QueryRefused as refused:
        return QueryVerdict(accepted=False, category=refused.category)


def _plan(source: DataSource, sql: str, parameters: Sequence[object]) -> QueryPlan:
    from superbiz_cli.harness.tool.mysql.syntax import parse_select  # sqlglot takes a quarter of a second

    check_text(sql)
    tokens = check_structure(read_tokens(sql, columns=_column_names(source)))
    values = check_parameters(parameters, expected=sum(token.kind is Kind.PARAMETER for token in tokens))
    select = resolve_names(parse_select(tokens), source)
    check_joins(select)
    check_provenance(select)
    return QueryPlan(
        source=source,
        select=select,
        canonical=canonical(select),
        parameters=values,
        row_limit=row_limit(select, values, source.limits),
        columns=tuple(_result_column(output, select.tables) for output in select.outputs),
    )


def _column_names(source: DataSource) -> frozenset[str]:
    tables = [columns for tables in source.allowed.values() for columns in tables.values()]
    return frozenset(column.lower() for columns in tables for column in columns)


def _result_column(output: ast.OutputColumn, tables: Sequence[ast.TableRef]) -> ResultColumn:
    return ResultColumn(output.name, lineage(output.expression, tables), redacted=is_sensitive_output(output))
