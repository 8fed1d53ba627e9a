"""Answers a knowledge question by quoting: the passages found, shortened, in their order."""

from __future__ import annotations

import re
from collections.abc import Mapping

from superbiz_cli.harness.contract.strict import JsonValue

_MAX_STATEMENTS = 3
_MAX_CHARS = 600
_SENTENCE_END = re.compile(r"(?<=[.!?。！？])\s*|\n+")


def answer_question(task: Mapping[str, JsonValue]) -> dict[str, JsonValue]:
    """Answer an answer task: {"statements": [{"text", "refs"}], "nothing_found"}."""
    statements: list[JsonValue] = []
    evidence = task.get("evidence")
    for item in evidence if isinstance(evidence, list) else []:
        if not isinstance(item, dict) or not isinstance(item.get("ref"), int):
            continue
        text = opening(str(item.get("excerpt") or ""))
        if text and len(statements) < _MAX_STATEMENTS:
            statements.append({"text": text, "refs": [item["ref"]]})
    return {"statements": statements, "nothing_found": not statements}


def opening(excerpt: str) -> str:
    """Return the first whole sentences of a passage, at most 600 characters."""
    kept = ""
    for part in _SENTENCE_END.split(" ".join(excerpt.split())):
        if kept and len(kept) + len(part) + 1 > _MAX_CHARS:
            break
        kept = f"{kept} {part}".strip()
    return kept[:_MAX_CHARS].rstrip()
