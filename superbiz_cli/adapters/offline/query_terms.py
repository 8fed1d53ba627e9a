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
_ASCII_BEFORE_ZH = re.compile(
    r"([A-Za-z][A-Za-z0-9_-]{2,})\s*(?:的)?(?:服务|系统|接口|网关|模块|应用|进程|实例|节点|报错|超时)"
)


@dataclass(frozen=True, slots=True)
class QueryTerms:
    """Search terms found in a question, "" where it has none. `symptoms` are alternatives."""

    service: str = ""
    identifier: str = ""
    error_code: str = ""
    text: str = ""
    symptoms: tuple[str, ...] = ()

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


def _symptoms(query: str) -> tuple[str, ...]:
    lowered = query.lower()
    for spoken, searched in SYMPTOMS:
        if any(word in lowered for word in spoken):
            return searched
    return ()
