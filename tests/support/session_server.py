"""A model endpoint that plays all roles of a diagnosis: it routes, searches, cites what it saw, judges."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from typing import Any

from tests.support.flow_turns import draft, item
from tests.support.model_server import Answer, ModelServer, Received, tool_call

SEARCH = json.dumps({"previous_observation": None, "input": {"topic": "APPLICATION", "query": "timed out"}})


class Investigator(ModelServer):
    """`verdicts` are the judge's, in order (the last one repeats); `drafted` makes the agent's draft."""

    def __init__(self, *verdicts: str, drafted: Callable[[str], Mapping[str, Any]] | None = None) -> None:
        super().__init__()
        self.verdicts = list(verdicts) or ["SUPPORTED"]
        self.drafted = drafted or (lambda id_: draft(item(cites=(id_,))))

    def __enter__(self) -> Investigator:
        super().__enter__()
        return self

    def take(self, received: Received) -> Answer:
        with self._lock:
            self.requests.append(received)
        messages = received.body["messages"]
        asked = json.loads(next(m["content"] for m in messages if m["role"] == "user"))
        match asked.get("task"):
            case "route":
                return Answer(json.dumps({"intent": "DIAGNOSIS"}))
            case "judge":
                verdict = self.verdicts.pop(0) if len(self.verdicts) > 1 else self.verdicts[0]
                return Answer(json.dumps({"verdict": verdict, "reason": "as the log says"}))
        observations = [json.loads(m["content"]) for m in messages if m["role"] == "tool"]
        if not observations:
            return Answer(
                None,
                tool_calls=[tool_call("query_logs", SEARCH, id="call_1")],
                finish_reason="tool_calls",
            )
        return Answer(json.dumps(self.drafted(observations[-1]["tool_call_id"]), ensure_ascii=False))

    def forget(self) -> None:
        """Forget the requests so far."""
        with self._lock:
            self.requests.clear()

    def asked(self, task: str | None) -> list[dict[str, Any]]:
        """What the user messages of one role held; None is the agent (its first turns)."""
        found = []
        for received in self.requests:
            messages = received.body["messages"]
            asked = json.loads(next(m["content"] for m in messages if m["role"] == "user"))
            if asked.get("task") == task and not any(m["role"] == "tool" for m in messages):
                found.append(asked)
        return found

    def texts(self, task: str | None) -> list[str]:
        """The whole requests of one role, as they were sent."""
        return [
            received.text
            for received in self.requests
            if json.loads(next(m["content"] for m in received.body["messages"] if m["role"] == "user")).get(
                "task"
            )
            == task
        ]
