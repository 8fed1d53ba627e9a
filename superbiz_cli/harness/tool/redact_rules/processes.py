"""Numbers of processes and ports."""

# ruff: noqa: E501 - a table of patterns reads better unbroken

from __future__ import annotations

from superbiz_cli.harness.tool.redact_rules.rule import Rule, rule

PROCESSES: tuple[Rule, ...] = (
    rule(
        "process identifier",
        r"(?i)(?<![a-z])(?:p?pid|process(?:[ _]?id)?|spid)[\"'\\]{0,2}(?:\s*[=:#]\s*|\s+)[\"'(]?(?P<PID>\d{1,10})"
        r"(?![\w.]| (?!exit|kill|terminat|died|crash|receiv|is |has |was |still |wait|not |\()[a-z])",
        needs=("pid", "process"),
    ),
    rule("process in brackets", r"(?<=[\w)])\[(?P<PID>\d{2,10})\](?=:|\s|$)", needs=("[",)),
    rule("process of an nginx line", r"(?<=\] )(?P<PID>\d+)(?=#\d+: )", needs=("#",)),
    rule("process of a Spring Boot line", r"(?<=\s)(?P<PID>\d{1,10})(?= --- \[)", needs=(" --- [",)),
    rule(
        "port",
        r"(?:(?<![A-Za-z])[Pp]orts?|(?<=[a-z])Port|(?<![A-Za-z])PORT)[\"'\\]{0,2}(?:\s*[=:]\s*|\s+)[\"']?(?P<PORT>\d{2,5})(?![\w.])",
        needs=("port",),
    ),
    rule("listening port", r"(?<=[\s(]):(?P<PORT>\d{4,5})(?![\w.:])", needs=(":",)),
)
