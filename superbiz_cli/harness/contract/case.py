"""A case: an earlier incident whose cause a person confirmed. It is a hint for later ones, never evidence."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from datetime import datetime

MAX_SYMPTOMS = 6
SYMPTOM_CHARS = 400
ROOT_CAUSE_CHARS = 1_000
SOLUTION_CHARS = 1_000
MAX_SERVICES = 8
SERVICE_CHARS = 64
MAX_DOCUMENTS = 10
DOCUMENT_CHARS = 160
NOTE_CHARS = 500

_CUT = "…"


@dataclass(frozen=True, slots=True)
class Case:
    """One confirmed incident. `symptoms` begins with what was reported; what was seen follows.

    `documents` are ids of the knowledge base, `run_id` the Run that it was made from, if any, and
    `created_at` is aware.
    """

    case_id: str
    symptoms: tuple[str, ...]
    root_cause: str
    created_at: datetime
    solution: str = ""
    services: tuple[str, ...] = ()
    documents: tuple[str, ...] = ()
    note: str = ""
    run_id: str | None = None

    def bounded(self, redact: Callable[[str], str] = str) -> Case:
        """Return the case with every text redacted, then put on one line and cut to its limit."""

        def short(text: str, max_chars: int) -> str:
            line = " ".join(redact(text).split())
            return line if len(line) <= max_chars else line[: max_chars - len(_CUT)] + _CUT

        def some(texts: tuple[str, ...], limit: int, max_chars: int) -> tuple[str, ...]:
            kept = (short(text, max_chars) for text in texts)
            return tuple(dict.fromkeys(text for text in kept if text))[:limit]

        return replace(
            self,
            symptoms=some(self.symptoms, MAX_SYMPTOMS, SYMPTOM_CHARS),
            root_cause=short(self.root_cause, ROOT_CAUSE_CHARS),
            solution=short(self.solution, SOLUTION_CHARS),
            services=some(self.services, MAX_SERVICES, SERVICE_CHARS),
            documents=some(self.documents, MAX_DOCUMENTS, DOCUMENT_CHARS),
            note=short(self.note, NOTE_CHARS),
        )
