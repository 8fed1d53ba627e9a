"""The redaction table: one rule a line of thought, in the order in which they run.

A rule's named groups are what is replaced, and the group's name is the kind in the placeholder (trailing
digits only keep names apart). Most of the work is not to find a secret but to leave versions,
identifiers, durations, class names and plain prose alone.
"""

from __future__ import annotations

from superbiz_cli.harness.tool.redact_rules.credentials import CREDENTIALS
from superbiz_cli.harness.tool.redact_rules.labelled import LABELLED
from superbiz_cli.harness.tool.redact_rules.machines import MACHINES
from superbiz_cli.harness.tool.redact_rules.people import PEOPLE
from superbiz_cli.harness.tool.redact_rules.processes import PROCESSES
from superbiz_cli.harness.tool.redact_rules.rule import (
    PRIVATE_KEY_BEGIN,
    PRIVATE_KEY_BLOCK,
    PRIVATE_KEY_END,
    Rule,
    registered_values,
)
from superbiz_cli.harness.tool.redact_rules.sql import SQL

RULES: tuple[Rule, ...] = (*CREDENTIALS, *LABELLED, *PEOPLE, *SQL, *MACHINES, *PROCESSES)

__all__ = [
    "PRIVATE_KEY_BEGIN",
    "PRIVATE_KEY_BLOCK",
    "PRIVATE_KEY_END",
    "RULES",
    "Rule",
    "registered_values",
]
