"""Claims about what lies between events: times, rates, and what a whole misses."""

from __future__ import annotations

import pytest

from superbiz_cli.harness.contract.evidence import VerifiedEvidence
from tests.support.claims import logs, unfounded

QUORUM = logs(
    "10:01:55 WARN etcd-2 slow fdatasync took=2.417s expected-duration=1s",
    "10:02:30 ERROR kube-apiserver request timed out",
    "10:02:31 ERROR kube-apiserver request timed out",
    "10:02:33 INFO etcd-1 elected leader at term 42",
    "10:04:03 ERROR controller failed to renew the lease",
)
PUSH = logs(
    "10:02:10 ERROR push batch 55102 failed: 0 of 5,000 delivered",
    "10:02:50 ERROR push batch 55103 failed: 1,250 of 5,000 delivered",
    "10:06:40 INFO push batch 55104 sent: 4,988 of 5,000 delivered, memory 31.9/32.0 GB",
    "10:09:30 WARN ledger backlog=48200 campaign sent=48000 rate=1600/s",
    "10:12:30 INFO ledger backlog=1205",
)


@pytest.mark.parametrize(
    ("evidence", "true", "false"),
    [
        # the time between two events of which one is named by its words
        (QUORUM, "etcd-1 was elected 38 s after the slow fdatasync.", "It was elected 36 s after it."),
        (
            QUORUM,
            "Requests timed out at 10:02:30; a minute and a half after the election the lease was lost.",
            "Requests timed out at 10:02:30; four minutes after the election the lease was lost.",
        ),
        (QUORUM, "93 seconds after 10:02:30 it failed.", "94 seconds after 10:02:30 it failed."),
        # a range that ends with its seconds
        (QUORUM, "Requests timed out at 10:02:30-31.", "Requests timed out at 10:02:30-34."),
        # what an event misses of a whole, or has left of it; a sum over what stands before one word
        (PUSH, "Of 5,000 pushes all but 12 arrived.", "Of 5,000 pushes all but 21 arrived."),
        (PUSH, "Only 0.1 GB of the memory was left.", "Only 0.3 GB of the memory was left."),
        (PUSH, "In total 6,238 pushes arrived.", "In total 6,328 pushes arrived."),
        # rates, and how long an amount takes at one
        (PUSH, "The backlog shrank by 261 entries a second.", "The backlog shrank by 281 entries a second."),
        (PUSH, "At 1600/s the 48,000 messages took half a minute.", "At 1600/s the 48,000 took two minutes."),
        (PUSH, "积压每秒减少约 261 条。", "积压每秒减少约 281 条。"),
        # a change between two events whose times are given
        (
            PUSH,
            "From 10:09:30 to 10:12:30 the backlog fell to 2.5 % of what it was.",
            "From 10:09:30 to 10:12:30 the backlog fell to 3.5 % of what it was.",
        ),
        # one in so many; within a round time
        (PUSH, "One in four pushes of batch 55103 (1,250 of 5,000) arrived.", "One in six pushes arrived."),
        (
            QUORUM,
            "After the slow fdatasync a leader was elected within forty seconds.",
            "After the slow fdatasync a leader was elected within thirty seconds.",
        ),
        # the digits behind a name are no number of their own
        (QUORUM, "etcd-2 was slow, term 42.", "etcd-3 was slow, term 42."),
        # 不到 is a hedge, not the end of a change
        (PUSH, "10:02:50 到 10:06:40，前后不到四分钟。", "10:02:50 到 10:06:40，前后不到八分钟。"),
    ],
)
def test_what_lies_between_events_may_be_said_if_it_is_true(
    evidence: VerifiedEvidence, true: str, false: str
) -> None:
    assert unfounded(true, evidence, query="") == []
    assert unfounded(false, evidence, query="") != []
