"""Short ways to write a `--model scripted:FILE` script: the turns of each role."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any, TypeAlias

Turn: TypeAlias = dict[str, Any]
Script: TypeAlias = dict[str, Any]

INVENTED_ID = "ev-zzzzzzzz-9"
USAGE = {"prompt_tokens": 900, "completion_tokens": 80}


def says(content: str | Mapping[str, Any] | None, **rest: Any) -> Turn:
    """A turn with text, or with a JSON object as its text."""
    text = json.dumps(content, ensure_ascii=False) if isinstance(content, Mapping) else content
    return {"content": text, "tool_calls": [], "finish_reason": "stop", "usage": USAGE, **rest}


def routes(intent: str = "DIAGNOSIS") -> Turn:
    return says({"intent": intent})


def judges(verdict: str = "SUPPORTED", reason: str = "the figures are in the log") -> Turn:
    return says({"verdict": verdict, "reason": reason})


def asks_logs(
    name: str = "call_1",
    *,
    query: str = "timed out",
    topic: str = "APPLICATION",
    rating: tuple[str, str] | None = None,
    **rest: Any,
) -> Turn:
    """A call of query_logs. `name` is what `{{id:name}}` refers to; `rating` is (name, gain)."""
    previous = rating and {"tool_call_id": f"{{{{id:{rating[0]}}}}}", "information_gain": rating[1]}
    arguments = json.dumps({"previous_observation": previous, "input": {"topic": topic, "query": query}})
    return calls({"id": name, "name": "query_logs", "arguments": arguments}, **rest)


def calls(*tool_calls: Mapping[str, Any], **rest: Any) -> Turn:
    """A turn with tool calls as they come."""
    return {
        "content": None,
        "tool_calls": list(tool_calls),
        "finish_reason": "tool_calls",
        "usage": USAGE,
        **rest,
    }


def shown(name: str = "call_1") -> str:
    """The id that the program shows for the call `name` of the script."""
    return f"{{{{id:{name}}}}}"


def item(
    text: str | None = "payment-service logged 37 pool timeouts of 30000 ms",
    *,
    id_: str | None = "A1",
    kind: str | None = "NORMAL",
    cites: Sequence[str | None] | None = (shown(),),
) -> dict[str, Any]:
    """One analysis item."""
    return {"analysis_id": id_, "kind": kind, "text": text, "tool_call_ids": cites and list(cites)}


CONCLUSION = "The connection pool of payment-service ran out: 37 requests waited 30000 ms."
LIMITATIONS = {"checked_scope": "application logs", "missing_info": [], "caveats": []}


def draft(*items: dict[str, Any], **rest: Any) -> dict[str, Any]:
    """A draft that holds over the incident's logs; `rest` replaces its fields."""
    return {
        "analysis": list(items or (item(),)),
        "conclusion": {"text": CONCLUSION, "based_on_analysis_ids": ["A1"]},
        "action_plan": [],
        "recommendations": [],
        "limitations": LIMITATIONS,
        **rest,
    }


def script(
    *agent: Turn,
    router: Sequence[Turn] = (routes(),),
    semantic: Sequence[Turn] = (judges(),),
    repair: Sequence[Turn] = (),
    repeat_last: bool = False,
) -> Script:
    """A whole script."""
    return {
        "script": {
            "router": list(router),
            "agent": list(agent),
            "semantic": list(semantic),
            "repair": list(repair),
        },
        "on_exhausted": "repeat_last" if repeat_last else "transport_error",
    }


def diagnosis(final: Mapping[str, Any] | str | Turn | None = None, **rest: Any) -> Script:
    """A script that searches the logs once and hands in `final`: a draft, a text or a whole turn."""
    if isinstance(final, dict) and "tool_calls" in final:
        return script(asks_logs(), final, **rest)
    return script(asks_logs(), says(draft() if final is None else final), **rest)
