"""The few wrappers that models put around the one JSON document that they were asked for."""

from __future__ import annotations

import re

_BOM = "\ufeff"
_LEADING_THOUGHT = re.compile(r"<think>.*?</think>", re.DOTALL)
_WHOLE_FENCE = re.compile(r"```json[ \t]*\r?\n(?P<body>.*)\n```", re.DOTALL)


def unwrap_json(text: str) -> str:
    """Return `text` without the accepted wrappers; what remains must be the document itself.

    Accepted, from outside in: white space, a byte order mark, one leading <think> block, one ```json
    fence around the whole message. Never a search for braces: a document that has to be looked for
    may be the wrong one.
    """
    document = text.strip().removeprefix(_BOM).strip()
    if thought := _LEADING_THOUGHT.match(document):
        document = document[thought.end() :].strip()
    if fence := _WHOLE_FENCE.fullmatch(document):
        document = fence["body"].strip()
    return document
