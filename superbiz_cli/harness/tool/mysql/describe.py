"""What the model reads about query_mysql: the rules in a few lines, and what it may name."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from superbiz_cli.harness.tool.bounds import clip
from superbiz_cli.harness.tool.mysql.contract import DataSource
from superbiz_cli.harness.tool.mysql.sensitive import is_sensitive_name

MAX_CATALOGUE_CHARS = 4_000
MAX_DESCRIPTION_CHARS = 200

RULES = (
    "Reads business facts by one SELECT. Every value is a `?` in `sql` and an item of `params`, in LIMIT ? "
    "too; no literal, no comment. Allowed: columns (no *), aliases, COUNT(*), COUNT, SUM, AVG, MIN, MAX "
    "(of a comparison too: SUM(status = ?)), + - * / % DIV, comparisons, AND OR NOT, IN (?, ?), BETWEEN, "
    "LIKE, IS NULL, DISTINCT, INNER or LEFT JOIN ... ON a.x = b.y, GROUP BY, HAVING, ORDER BY. Not allowed: "
    "subqueries, WITH, UNION, CASE, other functions, date arithmetic (pass times as texts like "
    "'2026-11-30 10:00:00'). Give each value the type of its column. Data sources:"
)


def describe(sources: Sequence[DataSource]) -> str:
    """Return the tool's description with the allow-listed tables, columns and known types, bounded."""
    lines = [line for source in sources for line in _source_lines(source)]
    return RULES + "\n" + "\n".join(_fitting(lines))


def _source_lines(source: DataSource) -> Iterator[str]:
    about = f": {clip(source.description, MAX_DESCRIPTION_CHARS)}" if source.description else ""
    yield f'data_source "{source.id}"{about}'
    for schema, tables in source.allowed.items():
        prefix = "" if schema == source.default_schema else f"{schema}."
        for table, columns in tables.items():
            shown = ", ".join(_column(source, schema, table, column) for column in columns)
            yield f"- {prefix}{table}({shown})"


def _column(source: DataSource, schema: str, table: str, column: str) -> str:
    kind = source.types.get(f"{schema}.{table}.{column}", "")
    hidden = " hidden" if is_sensitive_name(column) else ""
    return f"{column}{' ' + kind if kind else ''}{hidden}"


def _fitting(lines: Sequence[str]) -> list[str]:
    kept: list[str] = []
    room = MAX_CATALOGUE_CHARS
    for line in lines:
        room -= len(line) + 1
        if room < 0:
            return [*kept, f"({len(lines) - len(kept)} more lines are not shown)"]
        kept.append(line)
    return kept
