"""Layer 7: the values. Plain ones only, as many as there are `?`, and LIMIT within its bounds."""

from __future__ import annotations

import math
from collections.abc import Sequence

from superbiz_cli.harness.tool.mysql import expressions as ast
from superbiz_cli.harness.tool.mysql.contract import ParameterValue, QueryLimits, QueryRefused, Refusal

MAX_PARAMETERS = 100
MAX_PARAMETER_CHARS = 4_096
_SMALLEST_INTEGER, _LARGEST_INTEGER = -(2**63), 2**64 - 1


def check_parameters(values: Sequence[object], *, expected: int) -> tuple[ParameterValue, ...]:
    """Return the values if they are `expected` plain ones. Raises QueryRefused."""
    if len(values) > MAX_PARAMETERS or expected > MAX_PARAMETERS or len(values) != expected:
        raise QueryRefused(Refusal.PARAMETER_COUNT)
    return tuple(_plain(value) for value in values)


def row_limit(select: ast.Select, values: Sequence[ParameterValue], limits: QueryLimits) -> int:
    """Return how many rows the server is asked for: never more than one beyond `max_rows`.

    That one row tells that there are more. Raises QueryRefused if LIMIT is not an integer >= 1.
    """
    if select.limit is None:
        return limits.max_rows + 1
    wanted = values[select.limit.position]
    if isinstance(wanted, bool) or not isinstance(wanted, int) or wanted < 1:
        raise QueryRefused(Refusal.LIMIT)
    return min(wanted, limits.max_rows + 1)


def _plain(value: object) -> ParameterValue:
    match value:
        case None | bool():
            return value
        case int() if _SMALLEST_INTEGER <= value <= _LARGEST_INTEGER:
            return value
        case float() if math.isfinite(value):
            return value
        case str() if len(value) <= MAX_PARAMETER_CHARS and _is_unicode(value):
            return value
        case _:
            raise QueryRefused(Refusal.PARAMETER_TYPE)


def _is_unicode(text: str) -> bool:
    try:
        text.encode("utf-8")
    except UnicodeEncodeError:
        return False
    return True
