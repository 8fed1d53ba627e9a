"""Which failed attempts may be repeated, and how often, for each kind of call."""

from __future__ import annotations

from dataclasses import dataclass

from superbiz_cli.harness.contract.model import RetryFailure

REPEATABLE: frozenset[RetryFailure] = frozenset(
    {
        RetryFailure.TIMEOUT,
        RetryFailure.TRANSPORT,
        RetryFailure.INVALID_OUTPUT,
        RetryFailure.PARSE_ERROR,
        RetryFailure.SCHEMA_INVALID,
    }
)


@dataclass(frozen=True, slots=True)
class RetryPolicy:
    """At most `max_attempts` (1 or 2), the second only after a failure in `retryable`.

    Raises ValueError for another number of attempts, or a failure that repeating cannot mend: an
    answer (nothing found, refused), the end of the Run, or something that nobody understands.
    """

    max_attempts: int
    retryable: frozenset[RetryFailure] = REPEATABLE

    def __post_init__(self) -> None:
        """Refuse an impossible policy."""
        if self.max_attempts not in (1, 2):
            raise ValueError("max_attempts is 1 or 2")
        if not self.retryable <= REPEATABLE:
            raise ValueError("a failure that may never be repeated is declared retryable")

    def allows_another(self, *, attempts: int, failure: RetryFailure) -> bool:
        """Whether a further attempt may follow after `attempts` of them, the last with `failure`."""
        return attempts < self.max_attempts and failure in self.retryable


ROUTER = RetryPolicy(max_attempts=2)
JUDGE = RetryPolicy(max_attempts=2)
AGENT = RetryPolicy(max_attempts=1)
TOOL = RetryPolicy(max_attempts=1)
REPAIR = RetryPolicy(max_attempts=1)
