"""What a question yields for a search: service, identifier, error code, quoted text, symptom."""

from __future__ import annotations

import re
from dataclasses import dataclass

from superbiz_cli.adapters.offline.vocabulary import DOMAIN_WORDS, NOT_A_SERVICE, SYMPTOMS

_QUOTED = re.compile(r"[\"“「『‘']([^\"”」』’']{3,120})[\"”」』’']")
_CODE = re.compile(
    r"\b(?:[A-Z]{2,10}[-_]\d{3,6}|[A-Z]\w*(?:Exception|Error)|E[A-Z]{4,}|0x[0-9A-Fa-f]{4,})\b"
    r"|(?<=[Ee]rror )\d{3,5}\b|(?<=[Cc]ode )\d{3,5}\b|(?<![\w:.-])[45]0\d(?![\w:.%-])"
)
_IDENTIFIER = re.compile(
    r"\b(?:[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f-]{14,}|[A-Za-z]{1,8}[-_#]?\d{4,}[\w-]*|(?=[0-9a-f]*\d)[0-9a-f]{12,32}|\d{6,})\b"
)
_HYPHENATED = re.compile(r"(?<![\w/.-])[a-z][a-z0-9]*(?:[-_][a-z0-9]+)+(?![\w/])")
_CAMEL = re.compile(r"\b[A-Z][a-z0-9]+(?:[A-Z][a-z0-9]+)*(?:Service|Server|Gateway|Worker|Api)\b")
_KIND = (
    r"(?:micro)?services?|svc|api|apis|gateway|server|worker|job|pod|app|application|backend|frontend|endpoint"
    r"|consumer|producer|scheduler|callbacks?|requests?|calls?"
)
_NAMED_BEFORE = re.compile(rf"\b([a-z][a-z0-9]{{2,}})[ ]+(?:{_KIND})\b", re.IGNORECASE)
_SAYS_WHEN = re.compile(
    r"[\d零一二两三四五六七八九十半]+\s*(?:个)?(?:秒|分|小时|天|点|月|日|号|周)\w{0,2}|[昨今前][天晚早日]|凌晨|早上|上午|中午|下午|晚上"
)
_ZH_FRAME = re.compile(
    r"为什么|怎么回事|怎么了|怎么|什么|我们的|我们|一直|突然|刚才|刚刚|最近|过去|以来|开始|之后|以后|之前|大量|频繁|很多"
    r"|服务|系统|接口|报错|错误|异常|出现|请|帮我|查一下|看一下|排查|无法|不能|不了|不出来|[的了在从到自起有没和与很都又被就吗呢不是]"
)
_ZH_CHUNK = re.compile(r"[一-鿿]{2,6}")
_ASCII_BEFORE_ZH = re.compile(
    r"([A-Za-z][A-Za-z0-9_-]{2,})\s*(?:的)?(?:服务|系统|接口|网关|模块|应用|进程|实例|节点|报错|超时)"
)


@dataclass(frozen=True, slots=True)
class QueryTerms:
    """Search terms found in a question, "" where it has none. `symptoms` are alternatives.

    `spoken` are the Chinese words of the question for what is broken and how: a log may hold them as
    they are, while the other terms are those of English logs.
    """

    service: str = ""
    identifier: str = ""
    error_code: str = ""
    text: str = ""
    symptoms: tuple[str, ...] = ()
    spoken: tuple[str, ...] = ()

    @property
    def symptom(self) -> str:
        """The first symptom term, "" if the question names none that we know."""
        return self.symptoms[0] if self.symptoms else ""

    def field(self, name: str) -> str:
        """Return the term for a placeholder of a plan."""
        match name:
            case "service":
                return self.service
            case "identifier":
                return self.identifier
            case "error_code":
                return self.error_code
            case "text":
                return self.text
            case "symptom":
                return self.symptom
            case _:
                return ""


def read_query(query: str) -> QueryTerms:
    """Find the search terms of a question in English or Chinese."""
    return QueryTerms(
        service=_service(query),
        identifier=_first(_IDENTIFIER, query),
        error_code=_first(_CODE, query),
        text=_quoted(query),
        symptoms=_symptoms(query),
        spoken=_spoken(query),
    )


def as_term(text: str) -> str:
    """Return one search term: a phrase is put in quotes, quotes inside are dropped."""
    plain = " ".join(text.replace('"', " ").split())
    return f'"{plain}"' if " " in plain else plain


def _first(pattern: re.Pattern[str], query: str) -> str:
    match = pattern.search(query)
    return match.group(0) if match else ""


def _quoted(query: str) -> str:
    match = _QUOTED.search(query)
    return " ".join(match.group(1).split()) if match else ""


def _service(query: str) -> str:
    for pattern in (_HYPHENATED, _CAMEL):
        for match in pattern.finditer(query):
            if match.group(0).lower() not in NOT_A_SERVICE:
                return match.group(0)
    for pattern in (_NAMED_BEFORE, _ASCII_BEFORE_ZH):
        for match in pattern.finditer(query):
            if match.group(1).lower() not in NOT_A_SERVICE:
                return match.group(1)
    return next((term for word, term in DOMAIN_WORDS.items() if word in query), "")


def _spoken(query: str) -> tuple[str, ...]:
    """Return what is broken and how, in the words of a Chinese question; at most one word for each."""
    symptom = next(
        (word for words, _ in SYMPTOMS for word in words if not word.isascii() and word in query), ""
    )
    subject = next((word for word in DOMAIN_WORDS if word in query), "")
    if not subject:
        rest = _SAYS_WHEN.sub(" ", query.replace(symptom, " ") if symptom else query)
        subject = next((words for words in _ZH_CHUNK.findall(_ZH_FRAME.sub(" ", rest))), "")
    return tuple(word for word in (subject, symptom) if word)


def _symptoms(query: str) -> tuple[str, ...]:
    lowered = query.lower()
    for spoken, searched in SYMPTOMS:
        if any(word in lowered for word in spoken):
            return searched
    return ()
