"""The scripts of hostile and odd model behaviour: our own, and the given ones, whatever the folder holds."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import pytest

from tests.support.hostile_own import own_scripts
from tests.support.shared_data import shared_lines

OTHER_RUN_MACRO = "{{other_run_ready_id}}"
WAITS = ("hang_ms", "drip")


@dataclass(frozen=True)
class Case:
    """One line of hostile.jsonl; see the README beside it."""

    raw: Mapping[str, Any]

    @property
    def id(self) -> str:
        return str(self.raw["id"])

    @property
    def group(self) -> str:
        return str(self.raw["group"])

    @property
    def query(self) -> str:
        return str(self.raw["query"])

    @property
    def expect(self) -> Mapping[str, Any]:
        expected: Mapping[str, Any] = self.raw["expect"]
        return expected

    @property
    def tools(self) -> Mapping[str, Sequence[Mapping[str, Any]]]:
        tools: Mapping[str, Sequence[Mapping[str, Any]]] = self.raw.get("tools", {})
        return tools

    @property
    def cancel(self) -> Mapping[str, Any] | None:
        found: Mapping[str, Any] | None = self.raw.get("cancel")
        return found

    @property
    def limits(self) -> Mapping[str, float]:
        limits: Mapping[str, float] = self.raw.get("limits", {})
        return limits

    @property
    def stdout_is_closed(self) -> bool:
        return self.raw.get("stdout") == "closed"

    @property
    def cites_another_run(self) -> bool:
        return OTHER_RUN_MACRO in json.dumps(self.raw)

    @property
    def waits(self) -> bool:
        """Whether the model, not only a tool, lets the program wait until a limit of time."""
        return any(key in turn for turn in self.turns() for key in WAITS)

    def turns(self) -> Iterator[Mapping[str, Any]]:
        for turns in self.raw["script"].values():
            yield from turns

    def conclusions(self) -> set[str]:
        """The texts of all conclusions that the model of this script writes as a draft."""
        return {text for turn in self.turns() for text in _conclusions(turn.get("content"))}

    def with_other_id(self, ready_id: str) -> Case:
        """Return the case with the id of another Run filled in."""
        return Case(json.loads(json.dumps(self.raw).replace(OTHER_RUN_MACRO, ready_id)))


def hostile_cases() -> list[Case]:
    """Return every case, our own first; of the given ones none where the shared data is absent."""
    return [*map(Case, own_scripts()), *map(Case, shared_lines("hostile", "hostile.jsonl"))]


def parameters(cases: Sequence[Case]) -> list[Any]:
    """Return pytest parameters with the ids of the cases, and one that is skipped where some are absent."""
    found = [pytest.param(case, id=f"{case.group}-{case.id}") for case in cases]
    if not shared_lines("hostile", "hostile.jsonl"):
        found.append(_skipped("no hostile scripts in the shared data (set SUPERBIZ_TEST_DATA)"))
    elif not cases:
        found.append(_skipped("not selected (set SUPERBIZ_TEST_HOSTILE=all)"))
    return found


def _skipped(reason: str) -> Any:
    return pytest.param(None, marks=pytest.mark.skip(reason=reason))


def selection(cases: Sequence[Case], *, here: str, in_ci: str) -> list[Case]:
    """Return what SUPERBIZ_TEST_HOSTILE asks for; without it, `in_ci` where CI is set, else `here`.

    "all", "none", "first" (one of each group) or groups ("router,cancel").
    """
    wanted = os.environ.get("SUPERBIZ_TEST_HOSTILE") or (in_ci if os.environ.get("CI") else here)
    match wanted:
        case "all":
            return list(cases)
        case "none":
            return []
        case "first":
            return list({case.group: case for case in reversed(cases)}.values())
        case _:
            groups = set(wanted.split(","))
            return [case for case in cases if case.group in groups]


def _conclusions(content: Any) -> Iterator[str]:
    draft = content.get("$draft") if isinstance(content, dict) else None
    conclusion = draft.get("conclusion") if isinstance(draft, dict) else None
    text = conclusion.get("text") if isinstance(conclusion, dict) else conclusion
    if isinstance(text, str) and text.strip():
        yield text
