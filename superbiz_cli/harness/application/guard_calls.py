"""The guarded questions of a Run: which model, how often, how long and how large for each role."""

from __future__ import annotations

from superbiz_cli.harness.application.parts import Parts
from superbiz_cli.harness.contract.limits import AttemptLimits
from superbiz_cli.harness.contract.model import ModelRole
from superbiz_cli.harness.core.model_gate import ModelGate
from superbiz_cli.harness.guard.model_call import GuardCall
from superbiz_cli.harness.retry.policy import JUDGE, REPAIR, ROUTER, RetryPolicy

ROUTER_OUTPUT_BYTES = 1_000


def router_call(parts: Parts) -> GuardCall:
    """The question "what does the user want?": the query and a short routing history."""
    payload = parts.limits.payload
    return _call(
        parts,
        ModelRole.ROUTER,
        policy=ROUTER,
        times=parts.limits.time.router,
        max_input_bytes=payload.agent_input_bytes,
        max_output_bytes=ROUTER_OUTPUT_BYTES,
    )


def judge_call(parts: Parts) -> GuardCall:
    """The question "does the evidence support this?"."""
    payload = parts.limits.payload
    return _call(
        parts,
        ModelRole.JUDGE,
        policy=JUDGE,
        times=parts.limits.time.judge,
        max_input_bytes=payload.judge_input_bytes,
        max_output_bytes=payload.judge_output_bytes,
    )


def repair_call(parts: Parts) -> GuardCall:
    """The question "which references did you mean?"."""
    payload = parts.limits.payload
    return _call(
        parts,
        ModelRole.REPAIR,
        policy=REPAIR,
        times=parts.limits.time.repair,
        max_input_bytes=payload.repair_input_bytes,
        max_output_bytes=payload.repair_output_bytes,
    )


def _call(
    parts: Parts,
    role: ModelRole,
    *,
    policy: RetryPolicy,
    times: AttemptLimits,
    max_input_bytes: int,
    max_output_bytes: int,
) -> GuardCall:
    gate = ModelGate(
        model=parts.guard_model,
        run=parts.run,
        recorder=parts.ledger,
        prompt_sha256=parts.prompts.sha256.get(role),
    )
    return GuardCall(
        gate=gate,
        run=parts.run,
        system_prompt=parts.prompts.texts[role],
        role=role,
        policy=policy,
        times=times,
        max_input_bytes=max_input_bytes,
        max_output_bytes=max_output_bytes,
    )
