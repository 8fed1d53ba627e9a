"""Secrets in documents: the same rules as for logs, but only those that find credentials.

A runbook may name hosts, ports and addresses; it must not hold a password.
"""

from __future__ import annotations

from dataclasses import dataclass

from superbiz_cli.harness.tool.redact import Redactor
from superbiz_cli.harness.tool.redact_rules import RULES, Rule

CREDENTIALS = frozenset(
    {
        "ACCESS_KEY",
        "COOKIE",
        "CREDENTIAL",
        "JWT",
        "PASSWORD",
        "PASSWORD_HASH",
        "PRIVATE_KEY",
        "SECRET",
        "SESSION",
        "TOKEN",
    }
)
_MAX_LINES = 5


@dataclass(frozen=True, slots=True)
class Scanned:
    """A text without its credentials, how many lines held one, and the first of them (from 1)."""

    text: str
    count: int
    lines: tuple[int, ...]


def credential_rules() -> tuple[Rule, ...]:
    """Return the redaction rules that find nothing but credentials."""
    return tuple(
        rule
        for rule in RULES
        if {name.rstrip("0123456789") for name in rule.pattern.groupindex} <= CREDENTIALS
    )


def scan_secrets(text: str) -> Scanned:
    """Replace every credential by a placeholder that tells its kind."""
    before = text.split("\n")
    after = list(Redactor(credential_rules()).redact_lines(before))
    if len(after) != len(before):  # a private key that spanned lines is gone as a whole
        after = Redactor(credential_rules()).redact(text).split("\n")
    changed = [
        number for number, (old, new) in enumerate(zip(before, after, strict=False), start=1) if old != new
    ]
    count = max(len(changed), 1 if len(before) != len(after) else 0)
    return Scanned("\n".join(after), count, tuple(changed[:_MAX_LINES]))
