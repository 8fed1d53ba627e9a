"""String literals of SQL statements."""

from __future__ import annotations

import re

from superbiz_cli.harness.tool.redact_rules.rule import Rule, rule

SQL_BEGIN = re.compile(
    r"(?is)\bselect\b.{1,2000}?\bfrom\b|\bselect\s+[\w@(]|\binsert\s+(?:ignore\s+)?into\b|\breplace\s+into\b|\bupdate\b.{1,200}?\bset\b"
    r"|\bdelete\s+from\b|\bwhere\s+[\w.`\"()]+\s*(?:=|<|>|!=|like\b|in\b|between\b|is\b)|\bvalues\s*\(|\bhaving\s|\bcall\s+\w+\s*\("
)

SQL: tuple[Rule, ...] = (
    rule(
        "SQL string literal",
        r"(?P<SQL_LITERAL>(?<![\w'])(?:[NnXxBb]|_utf8\w*\s?)?'(?:[^'\\]|''|\\.)*'"
        r"|(?<=[=(,\s<>])\"(?:[^\"\\\n]|\\.)*\"(?=\s*(?:[,);]|$|(?i:and|or|order|group|limit)\b)))",
        needs=(
            "select",
            "insert",
            "update",
            "delete",
            "where",
            "values",
            "replace",
            "call",
            "having",
            "like",
        ),
        after=SQL_BEGIN,
    ),
)
