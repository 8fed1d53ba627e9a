"""The HTTP status that an event reports, where a server failed or refused for load: no 502 is a 200.

Everywhere else a number of a message is a value. Statuses of success, redirection and wrong requests
(404) stay values: they are ordinary.
"""

from __future__ import annotations

import re

MAX_SEARCHED_CHARS = 400
_CODE = r"[ \t]?[=:]?[ \t]?[\"']?(?P<code>5\d\d|408|429|499)(?![\w.%:/-])"
# What must stand in a text for a pattern to be worth a search: each begins with it, which is fast.
_SAID = (
    ("HTTP/", rf"HTTP/\d(?:\.\d)?\"?{_CODE}"),
    ("tatus", rf"tatus(?:[ _-]?[Cc]ode)?[\"']?(?: is| was| of)?{_CODE}"),
    ("TATUS", rf"TATUS(?:_?CODE)?[\"']?{_CODE}"),
    ("_code", rf"_code[\"']?{_CODE}"),
    ("状态码", rf"状态码(?:为|是)?{_CODE}"),
    ("haproxy", rf"haproxy.{{0,200}}?(?:/-?\d{{1,9}}){{4}}{_CODE}"),
)
_IN_TEXT = tuple((hint, re.compile(pattern)) for hint, pattern in _SAID)
_IN_BYTES = tuple((hint.encode(), re.compile(pattern.encode())) for hint, pattern in _SAID)
_MARKS = bytes.maketrans(b"0123456789", b"ghijklmnop")


def failing_status(message: str) -> str:
    """Return the status of failure that a message reports ("502"), "" for none."""
    for hint, pattern in _IN_TEXT:
        if hint in message and (found := pattern.search(message, 0, MAX_SEARCHED_CHARS)) is not None:
            return found["code"]
    return ""


def is_server_failure(message: str) -> bool:
    """Whether a message reports that a server failed (5xx)."""
    return failing_status(message).startswith("5")


def with_marked_statuses(text: bytes) -> bytes:
    """Return raw lines in which statuses of failure are told apart also without their digits."""
    for hint, pattern in _IN_BYTES:
        if hint in text:
            text = pattern.sub(_marked, text)
    return text


def _marked(match: re.Match[bytes]) -> bytes:
    return match[0] + b"~" + match["code"].translate(_MARKS)
