"""The derivations: numbers that may be stated although the evidence does not write them down.

Each rule is a function with its name in RULES. Operands are quantities of the same statement, or of
the event that it speaks of, that are themselves in the evidence.
"""

from __future__ import annotations

from collections.abc import Callable

from superbiz_cli.harness.guard.claims.amounts import (
    complement,
    difference,
    enumeration,
    factor,
    percentage,
    total,
)
from superbiz_cli.harness.guard.claims.changes import change, quotient, remainder, restatement
from superbiz_cli.harness.guard.claims.counting import is_end_of_change, is_limit, is_named_limit
from superbiz_cli.harness.guard.claims.quantities import Quantity
from superbiz_cli.harness.guard.claims.rates import rate, time_at_rate
from superbiz_cli.harness.guard.claims.shares import named_rate
from superbiz_cli.harness.guard.claims.spans import duration, interval, window
from superbiz_cli.harness.guard.claims.stated import Stated
from superbiz_cli.harness.guard.claims.units import Dimension

RULES: tuple[tuple[str, Callable[[Quantity, Stated], bool]], ...] = (
    ("enumeration", enumeration),
    ("sum", total),
    ("difference", difference),
    ("complement", complement),
    ("percentage", percentage),
    ("named rate", named_rate),
    ("factor", factor),
    ("quotient", quotient),
    ("remainder", remainder),
    ("change", change),
    ("restatement", restatement),
    ("rate", rate),
    ("time at a rate", time_at_rate),
    ("duration", duration),
    ("interval", interval),
    ("window", window),
)


def derivation_of(claim: Quantity, stated: Stated) -> str | None:
    """Return the name of the rule by which `claim` follows, or None.

    A limit, or one end of a change ("from 4 to 6"), is a value: it is in the evidence or it is not.
    """
    text, is_relative = stated.scan.text, claim.unit.dimension in (Dimension.PERCENT, Dimension.FACTOR)
    is_value = is_limit(claim, text) or is_end_of_change(claim, text)
    if is_named_limit(claim, text) if is_relative else is_value:
        return None
    return next((name for name, rule in RULES if rule(claim, stated)), None)
