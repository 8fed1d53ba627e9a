"""What a redaction rule is, and the pattern of a labelled value."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass

Match = re.Match[str]


@dataclass(frozen=True, slots=True)
class Rule:
    """One kind of secret and how to find it.

    `needs` are lower-case words of which one must occur, a cheap test before the pattern. `accepts` sees
    the match and may refuse it. `after` restricts the rule to the text behind its first match (SQL
    literals only count behind SQL).
    """

    name: str
    pattern: re.Pattern[str]
    needs: tuple[str, ...] = ()
    accepts: Callable[[Match], bool] | None = None
    after: re.Pattern[str] | None = None


def rule(
    name: str,
    pattern: str,
    *,
    needs: tuple[str, ...] = (),
    accepts: Callable[[Match], bool] | None = None,
    after: re.Pattern[str] | None = None,
) -> Rule:
    """Return the rule of a pattern text."""
    return Rule(name=name, pattern=re.compile(pattern), needs=needs, accepts=accepts, after=after)


def registered_values(secrets: Sequence[str]) -> tuple[Rule, ...]:
    """Return the rule that finds these very values, the first of `secrets` first; none for none."""
    if not secrets:
        return ()
    pattern = "|".join(re.escape(secret) for secret in secrets)
    needs = tuple(secret.lower() for secret in secrets)
    return (rule("registered", f"(?P<SECRET>{pattern})", needs=needs),)


PRIVATE_KEY_BEGIN = re.compile(r"-----BEGIN [A-Z0-9 ]*PRIVATE KEY(?: BLOCK)?-----")
PRIVATE_KEY_BLOCK = re.compile(r"(-----BEGIN [A-Z0-9 ]*PRIVATE KEY(?: BLOCK)?-----)((?:(?!-----END)[\s\S])+)")
PRIVATE_KEY_END = re.compile(r"-----END [A-Z0-9 ]*PRIVATE KEY(?: BLOCK)?-----")

# A value: quoted (escapes allowed), in braces or brackets, or up to the next delimiter.
_VALUE = (
    r"(?:"
    r"\\\"(?P<{k}1>(?:(?!\\\")[^\n])*)\\\""
    r"|\"(?P<{k}2>(?:[^\"\\\n]|\\.)*)\""
    r"|'(?P<{k}3>(?:[^'\\\n]|\\.)*)'"
    r"|`(?P<{k}4>[^`\n]*)`"
    r"|\{{(?P<{k}5>[^}}\n]*)\}}"
    r"|\|(?P<{k}6>[^|\n]*)\|"
    r"|<(?P<{k}7>[^>\n]*)>"
    r"|【(?P<{k}8>[^】\n]*)】"
    r"|\[(?P<{k}10>[^\]\s,]{{3,}})\]"
    r"|(?P<{k}9>[^\s\"'`,;&|<>(){{}}\[\]，。；、】）\\]+)"
    r")"
)


def value(kind: str) -> str:
    """Return the pattern of a value whose groups are named after `kind`."""
    return _VALUE.format(k=kind)


LABEL_END = r"[\"'`\\]{0,2}\]?\s*(?:=>|:=|==|[:=：＝])\s*"
