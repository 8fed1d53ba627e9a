"""Redaction: what must not leave is replaced by a placeholder that tells its kind.

The rules are the table in `redact_rules`. Within one Run the same value gets the same placeholder
(`[REDACTED_IP]`, the second distinct one `[REDACTED_IP#2]`), so that a reader still sees that two
lines speak of one host.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from superbiz_cli.harness.tool.redact_rules import (
    PRIVATE_KEY_BEGIN,
    PRIVATE_KEY_BLOCK,
    PRIVATE_KEY_END,
    RULES,
    Rule,
)

# While rules run, a redacted value is one character of the last private-use plane: no rule matches
# inside a placeholder, and a placeholder never looks like text to a later rule.
_PLACEHOLDER = re.compile(r"\[REDACTED_(HOST|IP|POD)(?:#(\d+))?\]", re.IGNORECASE)
MAX_PIECE_CHARS = 16_384
_MARK_FIRST = 0xF0000
_MARK_LAST = 0xFFFFD
_MARKS = re.compile("[\U000f0000-\U000ffffd]")
_ONLY_MARKS = re.compile("[\U000f0000-\U000ffffd\\W]+")


class Redactor:
    """Redacts texts of one Run with stable numbers. Not for use by two threads at once."""

    def __init__(self, rules: Iterable[Rule] = RULES) -> None:
        self._rules = tuple(rules)
        self._numbers: dict[tuple[str, str], int] = {}
        self._count_of_kind: dict[str, int] = {}

    def redact(self, text: str) -> str:
        """Return `text` without credentials, addresses, names of machines and personal numbers.

        A long text is done in pieces that end at white space, so that the time grows with its length.
        """
        if len(text) <= MAX_PIECE_CHARS:
            return self._redact(text)
        keyless = PRIVATE_KEY_BLOCK.sub(
            lambda key: f"{key[1]}{self._placeholder('PRIVATE_KEY', key[2])}", text
        )
        return "".join(self._redact(piece) for piece in _pieces(keyless))

    def _redact(self, text: str) -> str:
        found: list[str] = []
        marked = _MARKS.sub("\ufffd", text)
        lowered = marked.lower()
        for rule in self._rules:
            if rule.needs and not any(word in lowered for word in rule.needs):
                continue
            marked = self._apply(rule, marked, found)
        if not found:
            return marked
        return _MARKS.sub(lambda mark: found[ord(mark.group()) - _MARK_FIRST], marked)

    def reveal(self, text: str) -> str:
        """Put the values of host, pod and address placeholders of this Run back into `text`.

        The model can follow a host that it knows only as `[REDACTED_IP#2]`; what comes back is redacted
        again. Placeholders of credentials stay what they are.
        """
        return _PLACEHOLDER.sub(self._value_of, text)

    def _value_of(self, match: re.Match[str]) -> str:
        number = int(match[2] or 1)
        for (kind, value), known in self._numbers.items():
            if kind == match[1].upper() and known == number:
                return value
        return match[0]

    def redact_lines(self, lines: Iterable[str]) -> Iterator[str]:
        """Redact a stream line by line; a private key that spans lines is removed as a whole."""
        inside_key = False
        for line in lines:
            if inside_key:
                inside_key = PRIVATE_KEY_END.search(line) is None
                if inside_key:
                    continue
                yield self.redact(line)
                continue
            yield self.redact(line)
            begin = PRIVATE_KEY_BEGIN.search(line)
            inside_key = begin is not None and PRIVATE_KEY_END.search(line, begin.end()) is None

    def _apply(self, rule: Rule, text: str, found: list[str]) -> str:
        pieces: list[str] = []
        done = 0
        begin = 0
        if rule.after is not None:
            scope = rule.after.search(text)
            if scope is None:
                return text
            begin = scope.start()
        for match in rule.pattern.finditer(text, begin):
            if rule.accepts is not None and not rule.accepts(match):
                continue
            for kind, start, end in _spans(match):
                value = text[start:end]
                if start < done or _ONLY_MARKS.fullmatch(value) or len(found) > _MARK_LAST - _MARK_FIRST:
                    continue
                pieces.append(text[done:start])
                pieces.append(chr(_MARK_FIRST + len(found)))
                found.append(
                    self._placeholder(kind, _MARKS.sub(lambda m: found[ord(m.group()) - _MARK_FIRST], value))
                )
                done = end
        if not pieces:
            return text
        pieces.append(text[done:])
        return "".join(pieces)

    def _placeholder(self, kind: str, value: str) -> str:
        key = (kind, value.strip().lower())
        number = self._numbers.get(key)
        if number is None:
            number = self._count_of_kind.get(kind, 0) + 1
            self._count_of_kind[kind] = number
            self._numbers[key] = number
        return f"[REDACTED_{kind}]" if number == 1 else f"[REDACTED_{kind}#{number}]"


def _pieces(text: str) -> Iterator[str]:
    start = 0
    while start < len(text):
        end = start + MAX_PIECE_CHARS
        if end < len(text):
            cut = max(text.rfind("\n", start, end), text.rfind(" ", start, end))
            end = cut + 1 if cut > start else end
        yield text[start:end]
        start = end


def _spans(match: re.Match[str]) -> list[tuple[str, int, int]]:
    """Return (kind, start, end) of each named group that took part; the name is the kind."""
    spans = [
        (name.rstrip("0123456789"), *match.span(name)) for name in match.re.groupindex if match.group(name)
    ]
    return sorted(spans, key=lambda span: span[1])
