"""One diagnosis: everything that it needs, opened on the thread that runs it and closed again."""

from __future__ import annotations

import secrets
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass

from superbiz_cli.bootstrap.limits import run_limits
from superbiz_cli.bootstrap.models import load_prompts, open_models, wait_until_loaded
from superbiz_cli.bootstrap.port import DiagnoseRequest, RunHandle
from superbiz_cli.bootstrap.registered_secrets import redactor_for
from superbiz_cli.bootstrap.skills import ChosenSkills, asked_skills, matching_skills
from superbiz_cli.bootstrap.sources import missing_sources
from superbiz_cli.bootstrap.stores import archive_for_run, open_store
from superbiz_cli.bootstrap.tools import evidence_tools
from superbiz_cli.errors import ErrorCode, SuperbizError
from superbiz_cli.harness.application.diagnose import run_question
from superbiz_cli.harness.application.memory import previous_turn
from superbiz_cli.harness.application.parts import Parts, Question, SkillMatching
from superbiz_cli.harness.application.recall import NOTHING, Recalled, recall
from superbiz_cli.harness.audit.archive import AuditUnavailable, RunArchive
from superbiz_cli.harness.audit.events import RecordedEvent
from superbiz_cli.harness.audit.ledger import Ledger
from superbiz_cli.harness.audit.sink import EventListener
from superbiz_cli.harness.contract.model import ChatModel
from superbiz_cli.harness.contract.report import RunResult
from superbiz_cli.harness.contract.skill import Skill
from superbiz_cli.harness.contract.strict import JsonValue
from superbiz_cli.harness.core.run import Run
from superbiz_cli.harness.tool.catalog import ToolCatalog
from superbiz_cli.harness.tool.invocation import InvocationStore
from superbiz_cli.harness.tool.redact import Redactor
from superbiz_cli.settings import Settings


def _as_asked(skills: tuple[Skill, ...]) -> ChosenSkills:
    return ChosenSkills(skills, SkillMatching.ASKED)


def _ignore(_: object) -> None:
    return None


@contextmanager
def open_app(
    settings: Settings,
    *,
    on_event: Callable[[RecordedEvent], None] | None = None,
    warn: Callable[[str], None] | None = None,
) -> Iterator[DiagnosisApp]:
    """Open stores, sources and models for one diagnosis.

    `on_event` hears every trace event and `warn` every sentence that the user should read, both on
    the calling thread. Raises SuperbizError for what cannot be opened, before anything is spent.
    """
    tell = warn or _ignore
    with ExitStack() as stack:
        agent_model, guard_model = open_models(settings, stack)
        store = open_store(settings)
        stack.callback(store.close)
        archive, warning = archive_for_run(settings)
        stack.callback(archive.close)
        if warning:
            tell(warning)
        yield DiagnosisApp(
            settings=settings,
            agent_model=agent_model,
            guard_model=guard_model,
            store=store,
            archive=archive,
            on_event=on_event or _ignore,
            warn=tell,
        )


@dataclass(frozen=True, slots=True)
class DiagnosisApp:
    """See `port.App`. Everything is opened; each question becomes one Run."""

    settings: Settings
    agent_model: ChatModel
    guard_model: ChatModel
    store: InvocationStore
    archive: RunArchive
    on_event: Callable[[RecordedEvent], None]
    warn: Callable[[str], None]

    def diagnose(
        self, request: DiagnoseRequest, *, on_started: Callable[[RunHandle], None] = _ignore
    ) -> RunResult:
        """Answer one question; see `port.App.diagnose`."""
        session_id = self._session_of(request)
        asked = asked_skills(self.settings, request.skills)
        limits = run_limits(self.settings)
        run = Run.start(session_id=session_id, deadline_s=limits.time.deadline_s, limits=limits.budget)
        on_started(run)
        absent = missing_sources(self.settings)
        for sentence in absent:
            self.warn(sentence)
        models = (self.agent_model, self.guard_model)
        wait_until_loaded(models, timeout_s=run.remaining_s(), cancel=run.cancellation)
        redactor = redactor_for(self.settings)
        chosen = self._matching_skills(request.query, run) if asked is None else _as_asked(asked)
        question = Question(
            query=request.query,
            incident=request.window,
            skills=chosen.skills,
            skill_matching=chosen.matching,
            previous_turn=self._previous_turn(session_id, redactor) if request.use_memory else None,
            similar_cases=self._similar_cases(request.query, redactor) if request.use_memory else NOTHING,
            use_memory=request.use_memory,
        )
        with ExitStack() as stack:
            parts = Parts(
                run=run,
                agent_model=self.agent_model,
                guard_model=self.guard_model,
                prompts=load_prompts(),
                catalog=ToolCatalog(evidence_tools(self.settings, redactor, stack)),
                store=self.store,
                archive=self.archive,
                ledger=self._ledger(run),
                limits=limits,
                redact=redactor.redact,
                warn=self.warn,
                language=self.settings.ui.language,
                program=request.program,
                absent_sources=tuple(absent),
            )
            return run_question(question, parts)

    def _matching_skills(self, query: str, run: Run) -> ChosenSkills:
        redact = redactor_for(
            self.settings
        ).redact  # one of its own: placeholders are numbered by their order
        chosen = matching_skills(self.settings, query, run=run, redact=redact)
        if chosen.problem and not run.lifecycle.is_terminal:
            self.warn(f"Skills were chosen by words only. {chosen.problem}")
        return chosen

    def _ledger(self, run: Run) -> Ledger:
        database = self.archive.trace_sink(run_id=run.run_id, session_id=run.session_id)
        listener = EventListener("live view", self.on_event)
        return Ledger(run.run_id, run.clock, [database, listener], warn=self.warn)

    def _session_of(self, request: DiagnoseRequest) -> str:
        if request.session_id is not None:
            return request.session_id
        if not request.continue_last:
            return f"s-{secrets.token_hex(5)}"
        try:
            latest = self.archive.latest_session()
        except AuditUnavailable as error:
            raise SuperbizError(ErrorCode.AUDIT_UNAVAILABLE, str(error), hint=error.remedy) from error
        if latest is None:
            raise SuperbizError(
                ErrorCode.NOT_FOUND,
                "There is no earlier session to continue.",
                hint="leave out --continue, or name one with --session ID",
            )
        return latest

    def _previous_turn(self, session_id: str, redactor: Redactor) -> dict[str, JsonValue] | None:
        limit = self.settings.run.payload.previous_turn_bytes
        try:
            last = self.archive.last_success(session_id)
        except AuditUnavailable as error:  # a Run without memory is better than none
            self.warn(f"The session's last diagnosis is not known: {error}")
            return None
        turn = previous_turn(last, redact=redactor.redact, max_bytes=limit)
        return turn.as_json() if turn else None

    def _similar_cases(self, query: str, redactor: Redactor) -> Recalled:
        try:
            return recall(redactor.redact(query), self.archive.case_library(), redact=redactor.redact)
        except AuditUnavailable as error:
            self.warn(f"Similar cases are not known: {error}")
            return NOTHING
