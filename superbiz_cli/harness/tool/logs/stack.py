"""Stack traces: the frames go, the chain of exceptions with their messages stays."""

from __future__ import annotations

import re

_FRAME = re.compile(
    r"^\s*(?:"
    r"at\s+[\w$.<>/@\[\]`]+\s*(?:\(|in\b|$).*"  # Java, JavaScript, .NET
    r"|at\s+(?:async\s+|new\s+)?\S+\s+\(.*\)"
    r"|at\s+\S+:\d+(?::\d+)?"
    r"|\.\.\.\s+\d+\s+(?:more|common frames omitted).*"
    r"|File \".*\", line \d+.*"  # Python
    r"|#\d+\s+(?:\S+\(\d+\)|\{main\}|\[internal function\]|0x[0-9a-f]+).*"  # PHP, gdb
    r"|\^+~*|~+\^*~*"
    r"|\[C\]: in .*|\S+\.rb:\d+:in .*|from \S+\.rb:\d+.*"  # Ruby, Lua
    r"|\S+\.go:\d+ \+0x[0-9a-f]+|goroutine \d+ \[.*\]:"  # Go
    r"|\d+:\s+0x[0-9a-f]+ - .*"  # Rust
    r"|Suppressed frames:.*"
    r")\s*$"
)
_PYTHON_FRAME = re.compile(r"^\s*File \".*\", line \d+")


def without_frames(text: str) -> str:
    """Return `text` without the lines that are stack frames, and a note of how many there were."""
    if "\n" not in text:
        return text
    kept: list[str] = []
    dropped = 0
    skip_source_line = False
    for line in text.split("\n"):
        if skip_source_line and line.startswith("    "):
            skip_source_line = False
            dropped += 1
            continue
        skip_source_line = False
        if _FRAME.match(line):
            dropped += 1
            skip_source_line = _PYTHON_FRAME.match(line) is not None
            continue
        kept.append(line)
    if not dropped:
        return text
    return "\n".join(kept).rstrip() + f"\n[{dropped} stack frames removed]"
