"""query_mysql as an evidence tool over configured data sources."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from superbiz_cli.harness.contract.evidence import IncidentWindow, ReadResult
from superbiz_cli.harness.contract.strict import JsonValue, canonical_json
from superbiz_cli.harness.contract.tool_call import ToolName
from superbiz_cli.harness.tool.bounds import clip
from superbiz_cli.harness.tool.mysql.contract import (
    DataSource,
    MysqlRequest,
    QueryExecutor,
    QueryRefused,
    Refusal,
)
from superbiz_cli.harness.tool.mysql.describe import describe
from superbiz_cli.harness.tool.mysql.parameters import MAX_PARAMETERS
from superbiz_cli.harness.tool.mysql.policy import plan_query
from superbiz_cli.harness.tool.mysql.project import project_rows, read_rows, readable_sql
from superbiz_cli.harness.tool.mysql.raw import raw_response
from superbiz_cli.harness.tool.mysql.render import scope_text
from superbiz_cli.harness.tool.mysql.text import MAX_SQL_BYTES
from superbiz_cli.harness.tool.port import CallContext, Projection, ToolRejected
from superbiz_cli.harness.tool.redact import Redactor

MAX_DISPLAY_CHARS = 120
_FIELDS = {"data_source", "sql", "params"}


@dataclass(frozen=True, slots=True)
class ConnectedSource:
    """A data source and what runs its queries."""

    source: DataSource
    executor: QueryExecutor


class MysqlTool:
    """See `port.EvidenceTool`. One instance for each Run: the redactor numbers values within a Run."""

    name = ToolName.QUERY_MYSQL

    def __init__(self, sources: Sequence[ConnectedSource], *, redactor: Redactor) -> None:
        self._sources = {connected.source.id: connected for connected in sources}
        self._redactor = redactor

    @property
    def description(self) -> str:
        """The rules of the sandbox and the catalogue of what may be named."""
        return describe([connected.source for connected in self._sources.values()])

    @property
    def input_schema(self) -> Mapping[str, Any]:
        """JSON schema of the input."""
        value = {"type": ["string", "number", "boolean", "null"]}
        return {
            "type": "object",
            "properties": {
                "data_source": {"type": "string", "enum": list(self._sources)},
                "sql": {"type": "string", "maxLength": MAX_SQL_BYTES},
                "params": {"type": "array", "items": value, "maxItems": MAX_PARAMETERS},
            },
            "required": ["data_source", "sql", "params"],
            "additionalProperties": False,
        }

    def parse(self, payload: Mapping[str, JsonValue], *, incident: IncidentWindow) -> MysqlRequest:
        """Read and validate the query; `params` may be left out if there are none. Raises ToolRejected."""
        data_source, sql, params = payload.get("data_source"), payload.get("sql"), payload.get("params", [])
        if not set(payload) <= _FIELDS or not isinstance(params, list):
            raise ToolRejected(Refusal.INVALID_ARGUMENTS.value)
        if not isinstance(data_source, str) or not isinstance(sql, str):
            raise ToolRejected(Refusal.INVALID_ARGUMENTS.value)
        connected = self._sources.get(data_source)
        if connected is None:
            raise ToolRejected(Refusal.DATA_SOURCE_UNKNOWN.value)
        try:
            return MysqlRequest(data_source, sql, plan_query(connected.source, sql, params))
        except QueryRefused as refused:
            raise ToolRejected(refused.category.value) from None

    def request_json(self, request: MysqlRequest) -> str:
        """Return the effective request, with the model's own text beside the canonical one."""
        return canonical_json(
            {
                "data_source": request.data_source,
                "sql": request.sql,
                "canonical": request.plan.canonical,
                "params": request.plan.parameters,
            }
        )

    def scope_key(self, request: MysqlRequest) -> str:
        """Return what the server is asked: aliases, spelling and order of conditions make no difference."""
        plan = request.plan
        statement = scope_text(plan.select, plan.parameters, row_limit=plan.row_limit)
        return canonical_json([self.name.value, request.data_source, statement])

    def scope_display(self, request: MysqlRequest) -> str:
        """Return data source and query; values are not in it."""
        return clip(f"{request.data_source}: {readable_sql(request.plan.canonical)}", MAX_DISPLAY_CHARS)

    def fetch(self, request: MysqlRequest, context: CallContext) -> str:
        """Run the plan; see `contract.QueryExecutor.run` for what is raised."""
        context.run.check_active()
        table = self._sources[request.data_source].executor.run(request.plan, run=context.run)
        return raw_response(request.plan, table)

    def project(self, request: MysqlRequest, raw_response: str, *, tool_call_id: str) -> Projection:
        """Return the redacted, bounded rows. Raises ProjectionFailed."""
        return project_rows(request, raw_response, tool_call_id=tool_call_id, redactor=self._redactor)

    def read(self, agent_result: str, *, tool_call_id: str) -> ReadResult:
        """Read an agent result again. Raises ProjectionFailed."""
        return read_rows(agent_result, tool_call_id=tool_call_id)
