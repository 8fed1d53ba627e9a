"""The language of query_mysql: data sources, plans, raw tables, and why a query is refused."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import TYPE_CHECKING, Protocol, TypeAlias, Union

from superbiz_cli.harness.core.run import Run

if TYPE_CHECKING:
    from superbiz_cli.harness.tool.mysql.expressions import Select

ParameterValue: TypeAlias = Union[str, int, float, bool, None]
CellValue: TypeAlias = Union[str, int, float, bool, None]


class Refusal(StrEnum):
    """Why a query is refused: the closed list of words that the model may see."""

    INVALID_ARGUMENTS = "invalid_arguments"
    DATA_SOURCE_UNKNOWN = "data_source_unknown"
    TOO_LONG = "too_long"
    TOO_DEEP = "too_deep"
    TOO_COMPLEX = "too_complex"
    CHARACTER = "character_not_allowed"
    COMMENT = "comment_not_allowed"
    LITERAL = "literal_not_allowed"
    VARIABLE = "variable_not_allowed"
    IDENTIFIER = "identifier_not_allowed"
    RESERVED_WORD = "reserved_word"
    NOT_A_SELECT = "not_a_select"
    MULTIPLE_STATEMENTS = "multiple_statements"
    SYNTAX = "syntax"
    CLAUSE_ORDER = "clause_order"
    STAR = "star_not_allowed"
    SUBQUERY = "subquery_not_allowed"
    SET_OPERATION = "set_operation_not_allowed"
    WINDOW = "window_not_allowed"
    CASE = "case_not_allowed"
    FUNCTION = "function_not_allowed"
    OPERATOR = "operator_not_allowed"
    AGGREGATE = "aggregate_not_allowed"
    LOCKING = "locking_read_not_allowed"
    INTO = "into_not_allowed"
    OFFSET = "offset_not_allowed"
    LIMIT = "limit_not_allowed"
    JOIN_TYPE = "join_type"
    JOIN_CONDITION = "join_condition"
    TABLE = "table_not_allowed"
    COLUMN = "column_not_allowed"
    COLUMN_AMBIGUOUS = "column_ambiguous"
    ALIAS_AMBIGUOUS = "alias_ambiguous"
    DUPLICATE_ALIAS = "duplicate_alias"
    DUPLICATE_OUTPUT = "duplicate_output_column"
    NOT_GROUPED = "not_grouped"
    PLACEHOLDER_IN_PROJECTION = "placeholder_in_projection"
    PLACEHOLDER = "placeholder_not_allowed"
    PREDICATE_WITHOUT_COLUMN = "predicate_without_column"
    SENSITIVE_COLUMN = "sensitive_column"
    PARAMETER_COUNT = "parameter_count"
    PARAMETER_TYPE = "parameter_type"


class QueryRefused(Exception):
    """The query is not one that the sandbox runs. Carries one word, nothing of the query."""

    def __init__(self, category: Refusal) -> None:
        super().__init__(category.value)
        self.category = category


@dataclass(frozen=True, slots=True)
class QueryLimits:
    """Bounds of one query: rows, characters a cell, UTF-8 bytes of all cells, seconds."""

    max_rows: int = 100
    max_cell_chars: int = 2_000
    max_bytes: int = 65_536
    timeout_s: float = 5.0


@dataclass(frozen=True, slots=True)
class DataSource:
    """A logical data source: what may be read of it, and how much at once.

    `allowed` is {schema: {table: (column, ...)}} with the names as the server spells them; `types`
    gives, where known, the type of "schema.table.column"; both are for the text that the model reads,
    like `description`.
    """

    id: str
    default_schema: str
    allowed: Mapping[str, Mapping[str, tuple[str, ...]]]
    limits: QueryLimits = QueryLimits()
    types: Mapping[str, str] = field(default_factory=dict)
    description: str = ""


@dataclass(frozen=True, slots=True)
class ResultColumn:
    """One column of a result: its name, where its values come from, and whether they are hidden.

    `source` is "schema.table.column", or an expression over such names.
    """

    name: str
    source: str
    redacted: bool = False


@dataclass(frozen=True, slots=True)
class QueryPlan:
    """An accepted query.

    `canonical` is its text with `?` for the parameters: the model may send it again as it stands.
    `row_limit` is what the server is asked for: one row more than may be shown, unless the query
    itself asks for fewer.
    """

    source: DataSource
    select: Select
    canonical: str
    parameters: tuple[ParameterValue, ...]
    row_limit: int
    columns: tuple[ResultColumn, ...]


@dataclass(frozen=True, slots=True)
class RawTable:
    """What the server returned: at most `max_rows` rows, with the cells converted but not redacted."""

    rows: tuple[tuple[CellValue, ...], ...]
    truncated: bool


@dataclass(frozen=True, slots=True)
class MysqlRequest:
    """An accepted call: the model's own words, and the plan made of them."""

    data_source: str
    sql: str
    plan: QueryPlan


class QueryExecutor(Protocol):
    """Runs accepted queries against one server or file, read-only."""

    def run(self, plan: QueryPlan, *, run: Run) -> RawTable:
        """Run `plan` and return its rows.

        Raises ToolExecutionFailed with one of the words of `ExecutionFault`, or RunAborted within
        1 s of a cancel or the deadline; nothing is left running on the server.
        """
        ...


class ExecutionFault(StrEnum):
    """Why an accepted query failed, as the model may see it."""

    UNAVAILABLE = "data_source_unavailable"
    ENCRYPTION = "encryption_failed"
    ACCESS_DENIED = "access_denied"
    SCHEMA_MISMATCH = "schema_mismatch"
    NOT_GROUPED = "not_grouped"
    TIMEOUT = "timeout"
    VALUE_NOT_CONVERTIBLE = "value_not_convertible"
    UNSUPPORTED = "not_supported_by_source"
    TOO_LARGE = "result_too_large"
    FAILED = "query_failed"
