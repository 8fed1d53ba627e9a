"""`--ndjson`: one JSON object a line, flushed as it happens, from the same stream as the trace.

metadata, then status and tool lines, then content or failure, then done. A cancelled Run has no done.
"""

from __future__ import annotations

from typing import Any

from superbiz_cli.bootstrap.port import RunHandle
from superbiz_cli.cli.result_json import document
from superbiz_cli.cli.streams import ClosedPipe, Streams, json_text
from superbiz_cli.harness.audit.events import RecordedEvent, TraceType, run_status_after
from superbiz_cli.harness.contract.report import RunResult
from superbiz_cli.harness.contract.status import ReleaseOutcome, RunStatus

SCHEMA = "superbiz.run-event/v1"


class NdjsonView:
    """Writes the events of one Run to stdout."""

    tick_s = 1.0

    def __init__(self, streams: Streams, *, metadata: dict[str, Any]) -> None:
        self._streams = streams
        self._metadata = metadata
        self._run_id: str | None = None
        self._seq = 0
        self._status: RunStatus | None = None

    def started(self, run: RunHandle) -> None:
        """Write who works on what."""
        self._run_id = run.run_id
        self._write("metadata", {"schema": SCHEMA, "session_id": run.session_id, **self._metadata})

    def event(self, recorded: RecordedEvent) -> None:
        """Write a changed status, and each tool call or refusal."""
        event = recorded.event
        if event.type is TraceType.TOOL_INVOCATION:
            shown = {**event.attributes, "scope_text": event.display.get("scope")}
            self._write("tool", {"at_ms": recorded.at_ms, **shown})
        elif event.type is TraceType.TOOL_REQUEST_REJECTED:
            self._write("tool", {"at_ms": recorded.at_ms, "status": "REJECTED", **event.attributes})
        status = run_status_after(event)
        if status is not None and status is not self._status:
            self._status = status
            self._write("status", {"at_ms": recorded.at_ms, "status": status.value})

    def finish(self, result: RunResult) -> None:
        """Write what was published and how the Run ended."""
        self._run_id = result.run_id
        whole = document(result)
        if result.failure is not None:
            self._write("failure", {"failure": whole["failure"], "run_state": result.run_state.value})
        else:
            content = {"content_type": result.content_type, result.content_type: whole[result.content_type]}
            self._write("content", {**content, "evidence": whole["evidence"]})
        if result.release_outcome is not ReleaseOutcome.CANCELLED:
            usage = {"usage": whole["usage"], "duration_ms": result.duration_ms}
            self._write("done", {"outcome": result.release_outcome.value, **usage})

    def warned(self, text: str) -> None:
        """Say it where people look."""
        self._streams.note(f"note: {text}")

    def tick(self) -> None:
        """Notice when nobody reads any more."""
        if self._streams.reader_has_left():
            raise ClosedPipe

    def interrupted(self) -> None:
        """Say it where people look; the stream ends with the failure."""
        self._streams.note("stopping; press Ctrl-C again to leave at once")

    def close(self) -> None:
        """Keep the stream open: `finish` follows."""

    def _write(self, event: str, values: dict[str, Any]) -> None:
        self._seq += 1
        line = {"event": event, "run_id": self._run_id, "seq": self._seq, **values}
        self._streams.result(json_text(line, indent=None))
