"""The few wrappers that models put around the one JSON document that they were asked for."""

from __future__ import annotations

import re

_THINKING = re.compile(r"\A\s*<think>.*?</think>", re.DOTALL)
_WHOLE_FENCE = re.compile(r"\A```(?:json|JSON)?[ \t]*\r?\n(?P<body>.*)\n[ \t]*```\Z", re.DOTALL)


def unwrap_json(text: str) -> str:
    """Return `text` without the accepted wrappers; what remains must be the document itself.

    Accepted, once each and in this order: a byte order mark, one leading <think> block, outer white
    space, one fence around the whole message. Never a search for braces: a document that has to be
    looked for may be the wrong one.
    """
    body = text.removeprefix("\ufeff")
    body = _THINKING.sub("", body, count=1).strip()
    fenced = _WHOLE_FENCE.match(body)
    if fenced and "```" not in fenced["body"]:
        return fenced["body"].strip()
    return body
