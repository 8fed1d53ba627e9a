"""Shares that the evidence does not write: a failure rate from the failures and the calls of one event."""

from __future__ import annotations

import re
from collections.abc import Iterator
from decimal import Decimal
from itertools import permutations

from superbiz_cli.harness.guard.claims.corpus import Keyed
from superbiz_cli.harness.guard.claims.quantities import Quantity
from superbiz_cli.harness.guard.claims.stated import Stated
from superbiz_cli.harness.guard.claims.tolerance import agrees, is_bare
from superbiz_cli.harness.guard.claims.units import Dimension

_FAILED = r"fail|err|lost|loss|drop|reject|timeout|timedout|失败|错误|出错|丢|拒|超时"
_PASSED = r"succ|\bok\b|passed|accepted|delivered|hits?\b|成功|通过|送达|命中"
_MISSED = r"miss|未命中|穿透"
_RATES: tuple[tuple[str, str, str], ...] = (  # the rate as it is called, keys of its part, of its rest
    (
        r"(?:fail\w*|error|loss|drop|reject\w*|timeout)[\s-]*(?:rate|ratio|share)|(?:失败|错误|出错|丢失|丢包|拒绝|超时)率",
        _FAILED,
        _PASSED,
    ),
    (
        r"(?:success\w*|delivery|pass|acceptance)[\s-]*(?:rate|ratio|share)|availability|(?:成功|通过|送达|可用)率",
        _PASSED,
        _FAILED,
    ),
    (r"hit[\s-]*(?:rate|ratio)|命中率", r"hits?\b|命中", _MISSED),
)
_WHOLE = re.compile(
    r"(?i)total|count|calls|requests|reqs?\b|attempts|submitted|sent|messages|queries|lookups|all\b|"
    r"提交|请求|总|次数|笔数|调用|发送|查询"
)


def named_rate(claim: Quantity, stated: Stated) -> bool:
    """A rate that the statement names, of one event: of its failures in its calls, say, or the rest."""
    if claim.unit.dimension is not Dimension.PERCENT:
        return False
    return any(agrees(claim, share) for share in _shares(stated))


def _shares(stated: Stated) -> Iterator[Decimal]:
    text = stated.scan.text
    for called, part, rest in _RATES:
        if not re.search(rf"(?i){called}", text):
            continue
        for first, second in stated.keyed_pairs_within_events():
            for some, whole in permutations((first, second)):
                if not _is_share(some, whole):
                    continue
                share = some.quantity.value / whole.quantity.value * 100
                if re.search(rf"(?i){part}", some.key):
                    yield share
                elif re.search(rf"(?i){rest}", some.key):
                    yield 100 - share


def _is_share(some: Keyed, whole: Keyed) -> bool:
    is_counted = is_bare(some.quantity) and is_bare(whole.quantity)
    return (
        is_counted
        and _WHOLE.search(whole.key) is not None
        and 0 <= some.quantity.value <= whole.quantity.value > 0
    )
