"""From the settings to the limits of a Run."""

from __future__ import annotations

from superbiz_cli.harness.contract.limits import (
    AttemptLimits,
    BudgetLimits,
    PayloadLimits,
    ProgressLimits,
    RunLimits,
    TimeLimits,
)
from superbiz_cli.settings import Settings
from superbiz_cli.settings.tree import AttemptSettings


def run_limits(settings: Settings) -> RunLimits:
    """Return the limits of one Run under `settings`."""
    run, attempts = settings.run, settings.run.attempts
    agent_s = settings.model.agent.timeout_s
    return RunLimits(
        budget=BudgetLimits(
            max_model_calls=run.max_model_calls,
            max_tool_calls=run.max_tool_calls,
            max_calls_per_tool=run.max_calls_per_tool,
            max_input_tokens=run.max_input_tokens,
            max_output_tokens=run.max_output_tokens,
            max_total_tokens=run.max_total_tokens,
            max_run_bytes=run.max_run_bytes,
        ),
        payload=PayloadLimits(**run.payload.model_dump()),
        time=TimeLimits(
            deadline_s=run.deadline_s,
            router=_attempts(attempts.router),
            judge=_attempts(attempts.judge),
            repair=_attempts(attempts.repair),
            agent=AttemptLimits(attempt_s=agent_s, total_s=agent_s),
        ),
        progress=ProgressLimits(
            max_consecutive_no_gain=settings.progress.max_consecutive_no_gain,
            max_consecutive_violations=settings.progress.max_consecutive_violations,
        ),
    )


def _attempts(settings: AttemptSettings) -> AttemptLimits:
    return AttemptLimits(attempt_s=settings.attempt_s, total_s=settings.total_s)
