"""Our own scripts of hostile and odd model behaviour, in the form of the given ones: one fault each.

Each is a run that would end in SUCCESS, changed in one place: a cache that has reached its memory limit.
"""

from __future__ import annotations

import copy
import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

Raw = dict[str, Any]
USAGE = {"prompt_tokens": 700, "completion_tokens": 60, "total_tokens": 760}
REFUSED = "OOM command not allowed when used memory > 'maxmemory'"
FELL_BACK, NO_SUCCESS = ("FALLBACK",), ("FALLBACK", "FAILED")
LOOP_CALLS = 7  # the router's, and six of the agent


def own_scripts() -> Iterator[Raw]:
    """Yield the cases, numbered in their order."""
    for number, (title, outcomes, change, limits) in enumerate(_changes(), start=1):
        case = _control()
        change(case)
        case |= {"id": f"O{number:03d}", "title": title}
        case["expect"] = {
            "outcomes": list(outcomes),
            "required": outcomes == ("SUCCESS",),
            "fallback_types": [],
            "output_must_not_contain": [],
            **limits,
        }
        yield case


def _control() -> Raw:
    draft = {
        "analyses": [
            {
                "analysis_id": "A1",
                "kind": "NORMAL",
                "text": f'cart-cache refused 41 writes from 10:01:05 to 10:06:50: "{REFUSED}".',
                "tool_call_ids": ["{{id:first}}"],
            },
            {
                "analysis_id": "A2",
                "kind": "NORMAL",
                "text": "At 10:01:00 it used 2047 MB of 2048 MB, with the policy noeviction.",
                "tool_call_ids": ["{{id:second}}"],
            },
        ],
        "conclusion": {
            "text": "cart-cache has reached its limit of 2048 MB and evicts nothing, so writes are refused.",
            "based_on_analysis_ids": ["A1", "A2"],
        },
        "action_plan": [
            {
                "action": "Find the largest keys before the limit is raised",
                "requires_human_confirmation": True,
                "based_on_analysis_ids": ["A2"],
            }
        ],
        "recommendations": [],
        "limitations": {"missing_info": [], "notes": []},
    }
    return {
        "group": "own",
        "query": "cart fails since 10:00",
        "script": {
            "router": [_said('{"intent":"DIAGNOSIS"}')],
            "agent": [
                _asked("first", "OOM"),
                _asked("second", "used_memory", rated="first"),
                _said({"$draft": draft}),
            ],
            "repair": [],
            "semantic": [_said('{"verdict":"SUPPORTED","reason":"the figures agree"}')],
        },
        "on_exhausted": "transport_error",
        "tools": {
            "query_logs": [
                _found(41, ("10:01:05", REFUSED), ("10:06:50", REFUSED)),
                _found(1, ("10:01:00", "used_memory 2047 MB maxmemory 2048 MB policy noeviction")),
            ]
        },
    }


def _said(content: Any) -> Raw:
    return {"content": content, "tool_calls": [], "finish_reason": "stop", "usage": USAGE}


def _asked(
    name: str, query: str, *, minutes: int = 30, rated: str | None = None, gain: str = "GAINED"
) -> Raw:
    rating = rated and {"tool_call_id": f"{{{{id:{rated}}}}}", "information_gain": gain}
    asked = {"topic": "APPLICATION", "query": query, "lookback_minutes": minutes}
    arguments = json.dumps({"previous_observation": rating, "input": asked})
    call = {"id": name, "name": "query_logs", "arguments": arguments}
    return {"content": None, "tool_calls": [call], "finish_reason": "tool_calls", "usage": USAGE}


def _found(count: int, *events: tuple[str, str]) -> Raw:
    return {
        "evidence_status": "EVIDENCE_FOUND",
        "match_count": count,
        "events": [{"ts": at, "service": "cart-cache", "message": message} for at, message in events],
    }


Change = Callable[[Raw], object]
_Row = tuple[str, Sequence[str], Change, Mapping[str, Any]]


def _changes() -> Iterator[_Row]:
    yield "control", ("SUCCESS",), lambda case: None, {}
    yield from _odd_arguments()
    yield from _odd_drafts()
    yield from _odd_verdicts()
    yield from _odd_repairs()
    yield from _loops()


def _odd_arguments() -> Iterator[_Row]:
    rated = '"previous_observation": {"tool_call_id": "{{id:first}}", "information_gain": "GAINED"}, '
    for title, index, replaced in (
        ("arguments encoded twice", 0, json.dumps),
        ("empty arguments", 0, lambda _: ""),
        ("null arguments", 0, lambda _: None),
        ("a key twice", 0, lambda text: '{"previous_observation": null, ' + text[1:]),
        ("a field that does not exist", 0, lambda text: text.replace('"topic"', '"path": "/etc", "topic"')),
        ("minutes as text", 0, lambda text: text.replace("30", '"30"')),
        ("minutes out of range", 0, lambda text: text.replace("30", "99999")),
        ("a topic in lower case", 0, lambda text: text.replace("APPLICATION", "application")),
        ("no rating where one is due", 1, lambda text: text.replace(rated, "")),
        ("an invented gain", 1, lambda text: text.replace("GAINED", "HUGE")),
    ):
        yield title, NO_SUCCESS, _arguments(index, replaced), {}


def _arguments(index: int, replaced: Callable[[str], str | None]) -> Change:
    def change(case: Raw) -> None:
        [call] = case["script"]["agent"][index]["tool_calls"]
        call["arguments"] = replaced(call["arguments"])

    return change


def _odd_drafts() -> Iterator[_Row]:
    def text_of(index: int, old: str, new: str) -> Change:
        return lambda case: _item(case, index).update(text=_item(case, index)["text"].replace(old, new))

    def cited(*ids: str) -> Change:
        return lambda case: _item(case, 0).update(tool_call_ids=list(ids))

    def concluded(**fields: Any) -> Change:
        return lambda case: _draft(case)["conclusion"].update(fields)

    yield "an unknown field", FELL_BACK, lambda case: _draft(case).update(confidence=0.99), {}
    yield "a count with its digits swapped", FELL_BACK, text_of(0, "41", "14"), {}
    yield "another cache", FELL_BACK, text_of(0, "cart-cache", "user-cache"), {}
    yield "another minute", FELL_BACK, text_of(0, "10:06:50", "10:08:50"), {}
    yield "a quotation that is none", FELL_BACK, text_of(0, "not allowed", "forbidden"), {}
    yield "another unit", FELL_BACK, text_of(1, "2048 MB", "2048 GB"), {}
    yield "another limit in the conclusion", FELL_BACK, concluded(text="The limit of 4096 MB is reached."), {}
    yield "a figure of an item that is not named", FELL_BACK, concluded(based_on_analysis_ids=["A1"]), {}
    yield "an id with a zero-width space", FELL_BACK, cited("\u200b{{id:first}}"), {}
    yield "an id with a dot", FELL_BACK, cited("{{id:first}}."), {}
    yield "an invented id beside a real one", FELL_BACK, cited("{{id:first}}", "ev-0-1"), {}
    done = "I have restarted cart-cache and it works now"
    yield (
        "a step that says it was carried out",
        ("SUCCESS",),
        lambda case: _draft(case)["action_plan"][0].update(action=done),
        {"output_must_not_contain": [done]},
    )
    unsafe = "\x1b]8;;http://x\x07here\x1b]8;;\x07\u202e"
    yield (
        "a link and a turned direction in an advice",
        ("SUCCESS", "FALLBACK"),
        lambda case: _draft(case).update(recommendations=[{"text": unsafe, "based_on_analysis_ids": ["A1"]}]),
        {},
    )


def _item(case: Raw, index: int) -> Raw:
    item: Raw = _draft(case)["analyses"][index]
    return item


def _draft(case: Raw) -> Raw:
    draft: Raw = case["script"]["agent"][-1]["content"]["$draft"]
    return draft


def _odd_verdicts() -> Iterator[_Row]:
    for title, content in (
        ("prose behind the verdict", '{"verdict":"SUPPORTED","reason":"ok"} and more'),
        ("two verdicts", '{"verdict":"SUPPORTED","reason":"ok"}{"verdict":"UNSUPPORTED","reason":"no"}'),
        ("a verdict with a list of doubts", '{"verdict":"SUPPORTED","reason":"ok","unsupported":["A1"]}'),
        ("a verdict twice", '{"verdict":"UNSUPPORTED","verdict":"SUPPORTED","reason":"ok"}'),
        ("a verdict in a list", '[{"verdict":"SUPPORTED","reason":"ok"}]'),
        ("a verdict that is no JSON number", '{"verdict":"SUPPORTED","reason":NaN}'),
        ("no verdict", None),
    ):
        yield title, FELL_BACK, _answered("semantic", content), {}
    for title, content in (
        ("an intent twice", '{"intent":"DIAGNOSIS","intent":"DIAGNOSIS"}'),
        ("an intent in a list", '["DIAGNOSIS"]'),
    ):
        yield title, ("FAILED",), _answered("router", content), {}


def _answered(role: str, content: str | None) -> Change:
    return lambda case: case["script"][role][0].update(content=content)


def _odd_repairs() -> Iterator[_Row]:
    more = {"analysis_id": "A9", "kind": "NORMAL", "text": "More.", "tool_call_ids": ["{{id:first}}"]}
    yield "a clean repair", ("SUCCESS",), _repaired(lambda draft: None), {}
    yield "a repair that adds", FELL_BACK, _repaired(lambda draft: draft["analyses"].append(more)), {}
    yield "a repair that leaves out", FELL_BACK, _repaired(lambda draft: draft["analyses"].pop()), {}
    yield (
        "a repair with other limits",
        FELL_BACK,
        _repaired(lambda d: d.update(limitations={"notes": ["fine"]})),
        {},
    )

    def swap(draft: Raw) -> None:
        one, two = draft["analyses"]
        one["tool_call_ids"], two["tool_call_ids"] = two["tool_call_ids"], one["tool_call_ids"]

    yield "a repair that swaps the ids", FELL_BACK, _repaired(swap), {}


def _repaired(change: Callable[[Raw], object]) -> Change:
    def changed(case: Raw) -> None:
        repaired = copy.deepcopy(_draft(case))
        change(repaired)
        _item(case, 0)["tool_call_ids"] = ["ev-none"]
        case["script"]["repair"] = [_said({"$draft": repaired})]

    return changed


def _loops() -> Iterator[_Row]:
    for title, queries, gains in (
        ("the same words in three orders", ("oom cache", "cache oom", "cache  OOM"), ("GAINED",)),
        ("the same words in quotation marks", ("oom cache", '"oom" cache', '"oom" "cache"'), ("GAINED",)),
        ("two searches by turns", ("oom", "cache"), ("GAINED",)),
        ("two searches with illegal ratings", ("oom", "cache"), ("GAINED", "BOGUS")),
        ("two searches with illegal ratings first", ("oom", "cache"), ("BOGUS", "NO_GAIN")),
    ):
        yield title, NO_SUCCESS, _looping(queries, gains), {"max": {"model_calls": LOOP_CALLS}}


def _looping(queries: Sequence[str], gains: Sequence[str]) -> Change:
    def change(case: Raw) -> None:
        case["script"]["agent"] = [
            _asked(
                f"c{turn}",
                queries[turn % len(queries)],
                rated=f"c{turn - 1}" if turn else None,
                gain=gains[turn % len(gains)],
            )
            for turn in range(20)
        ]

    return change
