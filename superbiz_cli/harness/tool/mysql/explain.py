"""What the words of query_mysql mean to a person: one sentence for each refusal and each fault."""

from __future__ import annotations

from collections.abc import Mapping

from superbiz_cli.harness.tool.mysql.contract import ExecutionFault, Refusal

REFUSAL_MEANING: Mapping[Refusal, str] = {
    Refusal.INVALID_ARGUMENTS: "a request is {data_source, sql, params} with a text and a list of values",
    Refusal.DATA_SOURCE_UNKNOWN: "no data source of this id is configured",
    Refusal.TOO_LONG: "a query has at most 8192 bytes",
    Refusal.TOO_DEEP: "parentheses are nested too deeply; at most 24",
    Refusal.TOO_COMPLEX: "the query has too many words, tables, output columns or operands",
    Refusal.CHARACTER: "only plain ASCII SQL is read; an alias is made of letters, digits and _",
    Refusal.COMMENT: "comments and hints are refused; leave them out",
    Refusal.LITERAL: "write ? for every value and give the values as params",
    Refusal.VARIABLE: "user and system variables are refused",
    Refusal.IDENTIFIER: "a name is a letter or _, then letters, digits and _, 64 at most",
    Refusal.RESERVED_WORD: "a reserved word is no name; put the name of a column between backticks",
    Refusal.NOT_A_SELECT: "only SELECT ... FROM is read",
    Refusal.MULTIPLE_STATEMENTS: "one statement at a time",
    Refusal.SYNTAX: "this is not a SELECT of the accepted grammar",
    Refusal.CLAUSE_ORDER: "the order is SELECT, FROM, JOIN ... ON, WHERE, GROUP BY, HAVING, ORDER BY, LIMIT",
    Refusal.STAR: "name the columns; the only star is COUNT(*)",
    Refusal.SUBQUERY: "subqueries, WITH, VALUES and TABLE are refused; join, or ask twice",
    Refusal.SET_OPERATION: "UNION, INTERSECT and EXCEPT are refused; ask twice",
    Refusal.WINDOW: "window functions are refused; use GROUP BY",
    Refusal.CASE: "CASE is refused; count with SUM(column = ?)",
    Refusal.FUNCTION: "the only functions are COUNT, SUM, AVG, MIN and MAX",
    Refusal.OPERATOR: "operators: + - * / % DIV, comparisons, AND, OR, NOT, IN, BETWEEN, LIKE, IS NULL",
    Refusal.AGGREGATE: "an aggregate stands in SELECT, HAVING or ORDER BY, and in no other aggregate",
    Refusal.LOCKING: "locking reads are refused",
    Refusal.INTO: "a result goes nowhere but to the caller",
    Refusal.OFFSET: "OFFSET is refused; narrow the WHERE",
    Refusal.LIMIT: "LIMIT takes one ?, an integer of at least 1",
    Refusal.JOIN_TYPE: "the joins are INNER JOIN ... ON and LEFT JOIN ... ON",
    Refusal.JOIN_CONDITION: "ON needs column = column between the new table and an earlier one",
    Refusal.TABLE: "the table is not one of the allow-list, or not in this spelling",
    Refusal.COLUMN: "the column is not one of the allow-list for the tables of this query",
    Refusal.COLUMN_AMBIGUOUS: "the column is in more than one table; write its table before it",
    Refusal.ALIAS_AMBIGUOUS: "the alias is the name of a column too; give it another name",
    Refusal.DUPLICATE_ALIAS: "two tables have one name; give each an alias",
    Refusal.DUPLICATE_OUTPUT: "two output columns have one name; give each an alias",
    Refusal.NOT_GROUPED: "beside an aggregate every column must be in GROUP BY",
    Refusal.PLACEHOLDER_IN_PROJECTION: "a selected ? must be compared with a column under an aggregate",
    Refusal.PLACEHOLDER: "a ? does not stand here",
    Refusal.PREDICATE_WITHOUT_COLUMN: "every condition compares a column",
    Refusal.SENSITIVE_COLUMN: "a column with a secret name may only be selected, where it is hidden",
    Refusal.PARAMETER_COUNT: "there must be as many params as ?, 100 at most",
    Refusal.PARAMETER_TYPE: "a param is a text, a finite number, a boolean or null",
}

FAULT_MEANING: Mapping[ExecutionFault, tuple[str, str]] = {
    ExecutionFault.UNAVAILABLE: (
        "the database does not answer at its address",
        "check the address in the configuration, and whether the server runs",
    ),
    ExecutionFault.ENCRYPTION: (
        "the connection cannot be encrypted as the address or the account demands",
        "check tls and the CA file; tls is one of disabled, preferred, required, verify-ca, verify-identity",
    ),
    ExecutionFault.ACCESS_DENIED: (
        "the database refuses the account, its password, or a table that is allow-listed",
        "check user and password_env; superbiz mysql grants prints what a fitting account needs",
    ),
    ExecutionFault.SCHEMA_MISMATCH: (
        "the database has no such table or column, although it is allow-listed",
        "superbiz mysql schema prints what is there",
    ),
    ExecutionFault.NOT_GROUPED: (
        "the database wants every column of the result, and of its order, grouped or selected",
        "put the column into GROUP BY, or select it",
    ),
    ExecutionFault.TIMEOUT: (
        "the query did not end in time and was stopped",
        "narrow the WHERE, or raise timeout_s of the data source",
    ),
    ExecutionFault.VALUE_NOT_CONVERTIBLE: (
        "a value has not the type of its column, so that the rows would be wrong",
        "give times like '2026-11-30 10:00:00', numbers as numbers and texts as texts",
    ),
    ExecutionFault.UNSUPPORTED: (
        "a SQLite file cannot answer this query",
        "count one column at a time",
    ),
    ExecutionFault.TOO_LARGE: (
        "the rows are too large to be read",
        "select fewer or smaller columns, or lower the LIMIT",
    ),
    ExecutionFault.FAILED: (
        "the database could not run the query",
        "superbiz doctor tells whether it answers",
    ),
}


def explained(word: str) -> tuple[str, str] | None:
    """Return what happened and what to do, for the word of a refusal or a fault; None for another word."""
    if word in _REFUSALS:
        return f"the query is refused ({word})", REFUSAL_MEANING[Refusal(word)]
    if word in _FAULTS:
        sentence, remedy = FAULT_MEANING[ExecutionFault(word)]
        return f"{sentence} ({word})", remedy
    return None


_REFUSALS = frozenset(refusal.value for refusal in Refusal)
_FAULTS = frozenset(fault.value for fault in ExecutionFault) - _REFUSALS
