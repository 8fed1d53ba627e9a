"""What one Run is made of: the request, and the parts that the composition root passes in."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from enum import StrEnum

from superbiz_cli.harness.application.recall import NOTHING, Recalled
from superbiz_cli.harness.audit.archive import RunArchive
from superbiz_cli.harness.audit.ledger import Ledger
from superbiz_cli.harness.contract.evidence import IncidentWindow
from superbiz_cli.harness.contract.limits import RunLimits
from superbiz_cli.harness.contract.model import ChatModel, ModelRole
from superbiz_cli.harness.contract.skill import Skill
from superbiz_cli.harness.contract.strict import JsonValue
from superbiz_cli.harness.core.run import Run
from superbiz_cli.harness.release.wording import PROGRAM, LanguageSetting
from superbiz_cli.harness.tool.catalog import ToolCatalog
from superbiz_cli.harness.tool.invocation import InvocationStore


class SkillMatching(StrEnum):
    """How the skills of a Run were chosen."""

    ASKED = "asked"
    WORDS = "words"
    EMBEDDING = "words+embedding"
    WORDS_ONLY = "words/embedding-failed"


@dataclass(frozen=True, slots=True)
class Question:
    """One request. `skills` are the active ones, chosen by the caller as `skill_matching` says.

    `previous_turn` and `similar_cases` are bounded hints. Without `use_memory` the router is not told
    of the session's last questions either.
    """

    query: str
    incident: IncidentWindow
    skills: tuple[Skill, ...] = ()
    skill_matching: SkillMatching = SkillMatching.ASKED
    previous_turn: Mapping[str, JsonValue] | None = None
    similar_cases: Recalled = NOTHING
    use_memory: bool = True


@dataclass(frozen=True, slots=True)
class Prompts:
    """The texts of the roles, and what the trace keeps of each: its SHA-256 in hexadecimal."""

    texts: Mapping[ModelRole, str]
    sha256: Mapping[ModelRole, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Parts:
    """Everything that serves one Run. `models` has the agent's model and the guards'.

    `redact` removes secrets from the question before any model sees it. `program` begins the commands that
    a reader is told, `absent_sources` are sentences on sources that are configured and not there.
    """

    run: Run
    agent_model: ChatModel
    guard_model: ChatModel
    prompts: Prompts
    catalog: ToolCatalog
    store: InvocationStore
    archive: RunArchive
    ledger: Ledger
    limits: RunLimits
    redact: Callable[[str], str]
    warn: Callable[[str], None]
    language: LanguageSetting = "auto"
    program: str = PROGRAM
    absent_sources: tuple[str, ...] = ()
