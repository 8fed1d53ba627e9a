"""Second looks of the redaction table, which decide whether what a pattern found really is a secret.

Each function here builds or is a predicate over the match. They exist for the negatives: version
numbers, order numbers, durations, class names, plain prose.
"""

# ruff: noqa: E501, SIM905 - tables of words read better as plain text

from __future__ import annotations

import ipaddress
import re
from collections.abc import Callable

Match = re.Match[str]

# What follows a label in prose or as a placeholder, in either language.
_NOT_A_VALUE = frozenset(
    """
    yes no true false null nil none undefined required missing invalid expired incorrect wrong empty
    failed failure mismatch mismatched changed reset ok error denied unknown unset not is was has must should
    cannot could can does did and or for in of the a an to from with on at by as it this that too
    revoked refreshed rejected accepted supplied provided updated created generated found enabled disabled
    hidden masked redacted removed n/a na string str int password passwd token secret bearer basic digest
    negotiate ntlm oidc oauth oauth2 saml ldap jwt strong weak default optional plain plaintext
    空 错误 不正确 无效 失败 已过期 过期 不能为空 为空 不存在 不匹配 已失效 失效 必填 缺失 校验失败 已更新 已重置
    """.split()
)
_PLACEHOLDER = re.compile(
    r"(?:[*•x#.\-_?]{2,}|\*|[?]|%[sdv]|\$\{.*|\$\w+|\{\{?.*|<.*>|\[.*|REDACTED\w*|\*+.*\*+|:\w+|\$\d+)",
    re.IGNORECASE,
)
_PLAIN_WORD = re.compile(r"[A-Za-z]?[a-z]{1,24}[.,;:!]?")
_HOSTLIKE = re.compile(r"[A-Za-z0-9_](?:[\w.-]*[A-Za-z0-9_])?")
_TOP_LEVEL = frozenset(
    """
    com net org cn io dev cloud local internal lan corp example test invalid svc intra intranet localdomain
    arpa edu gov mil biz de ru uk jp fr nl eu us au ca br ch se pl tw hk kr sg xyz site online top club tech
    consul cluster private priv global company host network systems ai co me tv cc vip ltd work
    """.split()
)
_PACKAGE_ROOTS = frozenset(
    "com org net io cn java javax jakarta sun jdk edu de me uk co dev ai kotlin scala akka".split()
)
_VERSION_BEFORE = re.compile(
    r"(?i)(?:\bversion|\bver\.?|\bv|\brelease|\boid|\bsection|\brev(?:ision)?|\bbuild|\bspec)[\s:=/\"'-]*$"
)
_PRODUCT_BEFORE = re.compile(r"([A-Za-z][\w.-]*)/$")
_PRIVATE_RANGE = re.compile(r"(?:10|127|192\.168|172\.(?:1[6-9]|2\d|3[01]))\.")
_NUMBER_LABEL_BEFORE = re.compile(
    r"(?i)(?:id|no|num|number|seq|order|trace|span|time|timestamp|ts|code|count|size|bytes|offset|lag|version)[\"']?\s*[:=#]?\s*[\"']?$"
)
_LOCAL = frozenset({"localhost", "localhost.localdomain", "*", "-", "_", "unknown", "null", "none"})


def value_of(match: Match, kind: str) -> str:
    """Return the text of the group `kind`, or of the alternatives `kind1`, `kind2`, ..."""
    for name, text in match.groupdict().items():
        if text and name.rstrip("0123456789") == kind:
            return text
    return ""


def is_credential_value(kind: str, *, shortest_number: int = 1) -> Callable[[Match], bool]:
    """Accept anything after a password's label but words of prose and placeholders."""

    def accepts(match: Match) -> bool:
        value = value_of(match, kind)
        if not value or _is_no_value(value):
            return False
        return not (value.isdigit() and len(value) < shortest_number)

    return accepts


def is_secret_token_value(kind: str) -> Callable[[Match], bool]:
    """Accept a value that looks like a token: after a colon and a space, a plain word is prose."""

    def accepts(match: Match) -> bool:
        value = value_of(match, kind)
        if not value or _is_no_value(value):
            return False
        if value.isdigit():
            return len(value) >= 7
        before = match.string[max(0, match.start() - 1) : match.end()]
        is_prose_like = re.search(r"[:\s：]\s+$", before[: before.rfind(value)]) is not None
        return not (is_prose_like and _PLAIN_WORD.fullmatch(value))

    return accepts


def is_token_like(kind: str) -> Callable[[Match], bool]:
    """Accept a value with a digit, or of some length, that is not one plain word."""

    def accepts(match: Match) -> bool:
        value = value_of(match, kind)
        if len(value) < 6 or _is_no_value(value):
            return False
        return any(char.isdigit() for char in value) or not _PLAIN_WORD.fullmatch(value)

    return accepts


def is_identity_number(kind: str) -> Callable[[Match], bool]:
    """Accept 18 characters with the check digit of GB 11643-1999, or with a label before them."""

    def accepts(match: Match) -> bool:
        digits = value_of(match, kind).upper()
        weights = (7, 9, 10, 5, 8, 4, 2, 1, 6, 3, 7, 9, 10, 5, 8, 4, 2)
        total = sum(int(digit) * weight for digit, weight in zip(digits, weights, strict=False))
        return digits[-1] == "10X98765432"[total % 11]

    return accepts


def is_bank_card(kind: str) -> Callable[[Match], bool]:
    """Accept a number that passes the Luhn test (ISO/IEC 7812-1) and is not labelled as something else."""

    def accepts(match: Match) -> bool:
        digits = [int(char) for char in value_of(match, kind) if char.isdigit()]
        doubled = [digit * 2 - 9 if digit > 4 else digit * 2 for digit in digits[-2::-2]]
        if (sum(digits[-1::-2]) + sum(doubled)) % 10:
            return False
        return is_not_labelled_otherwise(match)

    return accepts


def is_iban(kind: str) -> Callable[[Match], bool]:
    """Accept what passes the modulo 97 test of ISO 13616."""

    def accepts(match: Match) -> bool:
        compact = value_of(match, kind).replace(" ", "")
        if not 15 <= len(compact) <= 34:
            return False
        return int("".join(str(int(char, 36)) for char in compact[4:] + compact[:4])) % 97 == 1

    return accepts


def is_not_labelled_otherwise(match: Match) -> bool:
    """Accept unless a label before the number says that it counts or identifies something."""
    return _NUMBER_LABEL_BEFORE.search(match.string, max(0, match.start() - 24), match.start()) is None


def has_digits(kind: str, fewest: int) -> Callable[[Match], bool]:
    """Accept a value with at least `fewest` digits."""

    def accepts(match: Match) -> bool:
        return sum(char.isdigit() for char in value_of(match, kind)) >= fewest

    return accepts


def is_not_a_version(kind: str) -> Callable[[Match], bool]:
    """Accept four numbers as an address unless a product, a package or a word says that it is a version."""

    def accepts(match: Match) -> bool:
        before = match.string[max(0, match.start() - 32) : match.start()]
        value = value_of(match, kind)
        has_port = bool(match.groupdict().get("PORT"))
        if _VERSION_BEFORE.search(before):
            return False
        if re.search(r"[A-Za-z]-$", before):
            return False
        product = _PRODUCT_BEFORE.search(before)
        return product is None or has_port or product[1] == "localhost" or bool(_PRIVATE_RANGE.match(value))

    return accepts


def is_address_v6(kind: str) -> Callable[[Match], bool]:
    """Accept a real IPv6 address; times, class paths and lone colons are not."""

    def accepts(match: Match) -> bool:
        value = value_of(match, kind)
        if "::" not in value and value.count(":") != 7 and "." not in value:
            return False
        if not any(char.isdigit() for char in value):
            return False
        try:
            ipaddress.IPv6Address(value.partition("%")[0])
        except ValueError:
            return False
        return True

    return accepts


def is_domain_name(kind: str) -> Callable[[Match], bool]:
    """Accept a name that ends in a known top-level or internal domain and is no package of classes."""

    def accepts(match: Match) -> bool:
        labels = value_of(match, kind).split(".")
        if labels[-1].lower() not in _TOP_LEVEL or labels[0].lower() in _PACKAGE_ROOTS:
            return False
        is_short = len(labels) == 2 and (len(labels[0]) < 3 or len(labels[-1]) == 2)
        return not is_short or labels[-1].lower() in {"cn", "ru", "de", "uk"}

    return accepts


def is_host_value(kind: str) -> Callable[[Match], bool]:
    """Accept the host part of a URL; addresses are left to their own rule."""

    def accepts(match: Match) -> bool:
        value = value_of(match, kind)
        return value.lower() not in _LOCAL and not _PLACEHOLDER.fullmatch(value) and not _is_v4(value)

    return accepts


def is_named_machine(kind: str, *, sure: bool = False) -> Callable[[Match], bool]:
    """Accept a labelled value that can be a machine's name; unless `sure`, it must have a digit, dot or hyphen."""

    def accepts(match: Match) -> bool:
        value = value_of(match, kind)
        if (
            value.lower() in _LOCAL
            or _is_no_value(value)
            or _is_v4(value)
            or value.replace(".", "").isdigit()
        ):
            return False
        if not _HOSTLIKE.fullmatch(value) or re.fullmatch(r"\d+(?:\.\d+)*(?:ms|s|m|h|kB|MB|GB|%)?", value):
            return False
        return sure or re.search(r"[\d.-]", value) is not None

    return accepts


def _is_v4(value: str) -> bool:
    return re.fullmatch(r"(?:\d{1,3}\.){3}\d{1,3}", value) is not None


def _is_no_value(value: str) -> bool:
    return value.strip(".,;:!，。").lower() in _NOT_A_VALUE or _PLACEHOLDER.fullmatch(value) is not None
