"""Evidence rebuilt from the canonical record, through the tool that wrote it."""

from __future__ import annotations

from typing import Any

from superbiz_cli.harness.contract.evidence import VerifiedEvidence
from superbiz_cli.harness.contract.strict import StrictJsonError, parse_strict_object
from superbiz_cli.harness.contract.tool_call import SOURCE_TYPE_OF
from superbiz_cli.harness.tool.invocation import CanonicalInvocation
from superbiz_cli.harness.tool.port import EvidenceTool, ProjectionFailed


def rebuild(record: CanonicalInvocation, tool: EvidenceTool[Any], *, ref: int) -> VerifiedEvidence:
    """Return the evidence of a READY `record` as footnote `ref`.

    Raises ProjectionFailed if the agent result cannot be read again, or says something else than
    the record about its id or its evidence status.
    """
    if record.agent_result is None:
        raise ProjectionFailed("the record holds no agent result")
    read = tool.read(record.agent_result, tool_call_id=record.tool_call_id)
    if read.tool_call_id != record.tool_call_id:
        raise ProjectionFailed("the agent result is of another call")
    if read.control.evidence_status is not record.evidence_status:
        raise ProjectionFailed("the agent result has another evidence status")
    try:
        request = parse_strict_object(record.request)
    except StrictJsonError as error:
        raise ProjectionFailed("the request cannot be read again") from error
    return VerifiedEvidence(
        ref=ref,
        tool_call_id=record.tool_call_id,
        tool_name=record.tool_name,
        source_type=SOURCE_TYPE_OF[record.tool_name],
        evidence_status=read.control.evidence_status,
        source=read.source,
        scope=read.scope,
        summary=read.summary,
        excerpt=read.excerpt,
        payload=read.payload,
        request=request,
        quotable=read.quotable,
    )
