"""Answers a knowledge question by quoting: the passages found, shortened, in their order."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping

from superbiz_cli.harness.contract.strict import JsonValue

_MAX_STATEMENTS = 3
_MAX_CHARS = 600
_SENTENCE_END = re.compile(r"(?<=[.!?])\s+|(?<=[。！？])")
_PUNCTUATION = ".!?:;,。！？：；，、"
_FRAME = re.compile(r"^\s*(?:#{1,6}\s|`{3,}|~{3,}|\|?\s*:?-{2,})")
_ITEM = re.compile(r"^\s*(?:>\s*)*(?:[-*+]\s|\d{1,3}(?:[.)]\s|、))\s*")


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
    """Return the first whole sentences of a passage, at most 600 characters, without Markdown's frame.

    Headings, fences and the numbers of list items are left out: they are no statements, and a number
    that only counts items would be taken for a figure.
    """
    kept = ""
    for sentence in _sentences(excerpt):
        gap = "" if kept.endswith(("。", "！", "？", "；")) else " "
        if kept and len(kept) + len(gap) + len(sentence) > _MAX_CHARS:
            break
        kept = f"{kept}{gap}{sentence}" if kept else sentence
    return kept[:_MAX_CHARS].rstrip().removesuffix(";")


def _sentences(excerpt: str) -> Iterator[str]:
    for line in excerpt.splitlines():
        if _FRAME.match(line):
            continue
        text = " ".join(_ITEM.sub("", line).split())
        if text and text[-1] not in _PUNCTUATION:
            text += ";"
        yield from (part for part in _SENTENCE_END.split(text) if part)
