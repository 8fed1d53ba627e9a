"""A statement that its own figures deny, although each of them may be in the evidence."""

from __future__ import annotations

import pytest

from superbiz_cli.harness.guard.claims.contradictions import contradictions
from superbiz_cli.harness.guard.claims.scan import scan


@pytest.mark.parametrize(
    ("statement", "denied"),
    [
        ("At 10:03:00, 309 of 412 logins (72 %) failed.", "72 %"),
        ("412 次登录中有 309 次（72%）失败。", "72%"),
        ("172/2400 (9 %) were up.", "9 %"),
        ("The lag rose from 2 s to 122 s, up by 126 s.", "126 s"),
        ("延迟从 2 秒涨到 122 秒，增加了 126 秒。", "126 秒"),
        ("队列从 10:02 的 200 条降到 10:04 的 44 条，两分钟内减少了 146 条。", "146"),
        ("The queue grew by 68 callers between 10:02:00 and 10:04:30, from 64 to 131.", "68"),
        ("The pool went from 40 to 40 connections.", "40"),
        ("Busy threads fell from 200 at 10:04:12 to 44 at 10:02:12.", "10:02:12"),
        ("线程从 10:04:12 的 200 个降到 10:04:12 的 44 个。", "10:04:12"),
        ("It hung from 10:05 to 10:03.", "10:03"),
        ("Between 10:09:05 and 10:09:05 nothing was sent.", "10:09:05"),
        ("10:02:03 到 10:02:00 之间连续失败。", "10:02:00"),
    ],
)
def test_a_figure_that_others_beside_it_deny_is_named(statement: str, denied: str) -> None:
    assert denied in list(contradictions(scan(statement)))


@pytest.mark.parametrize(
    "statement",
    [
        "309 of 412 logins (75 %) failed.",
        "7 of 412 tests (1.7 %) failed, 3 of 5 twice.",
        "About 300 of 412 logins (some 73 %) failed.",
        "2 of 8 disks are nearly full (91 %).",
        "2 of 8 disks (91 % full) were replaced.",
        "412 次登录中有 309 次（75%）失败。",
        "The lag rose from 2 s to 122 s, up by 120 s.",
        "Latency went from 1.6 s to 121.4 s, an increase of 119.8 s.",
        "Latency went from 2 s to 121 s, an increase of 120 s.",
        "It fell by 20 % from 50 to 40.",
        "The ratio went from 94.1% to 31.2%, down 62.9 points.",
        "It fell from 50 % to 40 %, down 20 %.",
        "The backlog grew from 10 to 30, up by 200 %, and errors rose by 7.",
        "It grew from 12 to 38 within a minute, and 14 calls failed.",
        "By more than 100, from 10 to 150.",
        "积压从 1204 涨到 24.1 万，两分钟增加约 24 万条。",
        "Scaled from 2 to 8 replicas, and from 4 GB to 8 GB.",
        "It hung from 23:58 to 00:04.",
        "It hung from 10:03 to 10:03:41.",
        "It hung from 10:03 to 10:03.",
        "At 10:05 and 10:03 it failed.",
        "It failed at 18:02 +08:00 to be exact, that is from 18:02 +08:00 to 10:04 UTC.",
        "Busy threads fell from 200 at 10:02:12 to 44 at 10:04:12.",
    ],
)
def test_figures_that_agree_or_say_different_things_are_left_alone(statement: str) -> None:
    assert list(contradictions(scan(statement))) == []
