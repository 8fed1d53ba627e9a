"""lookup_knowledge as an evidence tool over a retrieval back end."""

from __future__ import annotations

import string
import unicodedata
from collections.abc import Mapping
from typing import Any

from pydantic import ValidationError

from superbiz_cli.harness.contract.evidence import IncidentWindow, ReadResult
from superbiz_cli.harness.contract.strict import JsonValue, canonical_json
from superbiz_cli.harness.contract.tool_call import ToolName
from superbiz_cli.harness.tool.bounds import clip
from superbiz_cli.harness.tool.knowledge.contract import (
    MAX_QUERY_CHARS,
    KnowledgeBackend,
    KnowledgeQuery,
    KnowledgeUnavailable,
    RawKnowledge,
)
from superbiz_cli.harness.tool.knowledge.project import project_knowledge
from superbiz_cli.harness.tool.knowledge.reread import read_knowledge
from superbiz_cli.harness.tool.port import (
    CallContext,
    Projection,
    ProjectionFailed,
    ToolExecutionFailed,
    ToolRejected,
)
from superbiz_cli.harness.tool.redact import Redactor
from superbiz_cli.harness.tool.sanitize import sanitize

_PUNCTUATION = string.punctuation + "。、，；：？！“”‘’（）《》【】"
DESCRIPTION = (
    "Searches the knowledge base of runbooks and troubleshooting documents. `query` is a question, a "
    "symptom, an alert name or an error text, in English or Chinese; name what you look for and leave out "
    "what you do not. The result holds passages with document, title and section, the best first, and "
    "rates the whole: PRECISE (it is about this), REFERENCE (it may help); without evidence the knowledge "
    "base has nothing on it. A passage says what can be done, not what happened: facts of this incident "
    "come from the other tools."
)
_MAX_DISPLAY_CHARS = 120


class KnowledgeTool:
    """See `port.EvidenceTool`. One instance for each Run: the redactor numbers values within a Run.

    `passage_redactor` only takes out credentials; see `project`.
    """

    name = ToolName.LOOKUP_KNOWLEDGE

    def __init__(self, backend: KnowledgeBackend, *, redactor: Redactor, passage_redactor: Redactor) -> None:
        self._backend = backend
        self._redactor = redactor
        self._passage_redactor = passage_redactor

    @property
    def description(self) -> str:
        """What the model reads, with what the knowledge base holds."""
        holds = self._backend.describes
        return f"{DESCRIPTION} It holds: {holds}." if holds else DESCRIPTION

    @property
    def input_schema(self) -> Mapping[str, Any]:
        """JSON schema of the input."""
        return {
            "type": "object",
            "properties": {"query": {"type": "string", "minLength": 1, "maxLength": MAX_QUERY_CHARS}},
            "required": ["query"],
            "additionalProperties": False,
        }

    def parse(self, payload: Mapping[str, JsonValue], *, incident: IncidentWindow) -> KnowledgeQuery:
        """Read `{query}`. Raises ToolRejected."""
        if set(payload) - {"query"}:
            raise ToolRejected("unknown_field")
        query = payload.get("query")
        if not isinstance(query, str) or not query.strip():
            raise ToolRejected("query_missing")
        collapsed = " ".join(query.split())
        if len(collapsed) > MAX_QUERY_CHARS:
            raise ToolRejected("query_too_long")
        return KnowledgeQuery(collapsed)

    def request_json(self, request: KnowledgeQuery) -> str:
        """Return the effective request."""
        return canonical_json({"query": request.query})

    def scope_key(self, request: KnowledgeQuery) -> str:
        """Return the normalized scope: case, full-width forms and punctuation around words do not count."""
        folded = unicodedata.normalize("NFKC", request.query).casefold()
        words = [word.strip(_PUNCTUATION) for word in folded.split()]
        return canonical_json({"query": " ".join(filter(None, words)) or folded})

    def scope_display(self, request: KnowledgeQuery) -> str:
        """Return the query, redacted and short."""
        return clip(sanitize(self._redactor.redact(request.query)), _MAX_DISPLAY_CHARS)

    def fetch(self, request: KnowledgeQuery, context: CallContext) -> str:
        """Search. Raises ToolExecutionFailed when the knowledge base cannot be used now."""
        try:
            return self._backend.lookup(request, run=context.run).model_dump_json()
        except KnowledgeUnavailable as error:
            raise ToolExecutionFailed(error.category) from error

    def project(self, request: KnowledgeQuery, raw_response: str, *, tool_call_id: str) -> Projection:
        """Redact and bound the answer. Raises ProjectionFailed."""
        try:
            raw = RawKnowledge.model_validate_json(raw_response)
        except ValidationError as error:
            raise ProjectionFailed("not a raw answer of lookup_knowledge") from error
        return project_knowledge(
            request,
            raw,
            tool_call_id=tool_call_id,
            query_redactor=self._redactor,
            passage_redactor=self._passage_redactor,
        )

    def read(self, agent_result: str, *, tool_call_id: str) -> ReadResult:
        """Read a result again; see `reread.read_knowledge`."""
        return read_knowledge(agent_result, tool_call_id=tool_call_id)
