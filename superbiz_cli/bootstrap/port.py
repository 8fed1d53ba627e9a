"""What the commands get from the composition root: requests, results and protocols, no classes below.

A command calls one function of `superbiz_cli.bootstrap`; these protocols say what it gets. A Run is
executed on one worker thread (`interrupt.run_interruptibly`), so everything that `open_app` opens
is opened, used and closed on that thread; only `RunHandle.cancel` is called from another one.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from contextlib import AbstractContextManager
from dataclasses import dataclass
from enum import StrEnum
from typing import Protocol

from superbiz_cli.harness.audit.archive import RunArchive
from superbiz_cli.harness.audit.events import RecordedEvent
from superbiz_cli.harness.contract.evidence import IncidentWindow
from superbiz_cli.harness.contract.report import RunResult
from superbiz_cli.harness.contract.status import CancelReason
from superbiz_cli.settings import Settings


@dataclass(frozen=True, slots=True)
class DiagnoseRequest:
    """One question. `session_id` None and `continue_last` False begin a new session.

    `continue_last` goes on with the session of the last Run. `skills` names the skills to use instead
    of the ones that match, ("none",) for no skill at all. Without `use_memory` the Run knows nothing
    of earlier ones: no previous turn, no recent questions, no similar cases. `program` is how a command
    begins that the reader is told to type: with the options that name the same configuration.
    """

    query: str
    window: IncidentWindow
    session_id: str | None = None
    continue_last: bool = False
    skills: tuple[str, ...] = ()
    use_memory: bool = True
    program: str = "superbiz"


class RunHandle(Protocol):
    """A Run that has begun: `harness.core.run.Run` is one."""

    @property
    def run_id(self) -> str:
        """The id that `trace show` takes."""
        ...

    @property
    def session_id(self) -> str:
        """The session that the Run belongs to."""
        ...

    def cancel(self, reason: CancelReason) -> bool:
        """End the Run; may be called from any thread. False if it has ended already."""
        ...


class App(Protocol):
    """All that one diagnosis needs, opened."""

    def diagnose(
        self, request: DiagnoseRequest, *, on_started: Callable[[RunHandle], None] = ...
    ) -> RunResult:
        """Answer one question. `on_started` is called once, before anything is spent.

        Whatever goes wrong inside the Run is a RunResult with a failure. Raises SuperbizError for a
        request that cannot become a Run (no last session to continue, an unknown skill).
        """
        ...


class OpenApp(Protocol):
    """`bootstrap.open_app`. Raises SuperbizError for what cannot be opened."""

    def __call__(
        self,
        settings: Settings,
        *,
        on_event: Callable[[RecordedEvent], None] | None = None,
        warn: Callable[[str], None] | None = None,
    ) -> AbstractContextManager[App]:
        """Open stores, sources and models.

        `on_event` hears every trace event and `warn` every sentence that the user should read, both
        on the calling thread.
        """
        ...


class OpenArchive(Protocol):
    """`bootstrap.open_archive`. A database that does not exist yet is made only with `create`."""

    def __call__(self, settings: Settings, *, create: bool = ...) -> AbstractContextManager[RunArchive]:
        """Open the audit database. Raises SuperbizError if it cannot be used."""
        ...


class CheckStatus(StrEnum):
    """Outcome of one check of `doctor`."""

    OK = "ok"
    WARN = "warn"
    FAIL = "fail"
    SKIP = "skip"


@dataclass(frozen=True, slots=True)
class Check:
    """One thing that `doctor` looked at. `detail` and `fix` are our sentences, without secrets.

    FAIL means that a diagnosis cannot work like this; WARN that something configured is not usable.
    """

    name: str
    status: CheckStatus
    detail: str
    fix: str | None = None


class Examine(Protocol):
    """`bootstrap.examine`: yields each check when it is done; every check has its own time limit."""

    def __call__(self, settings: Settings) -> Iterable[Check]:
        """Look at home, model, stores and sources."""
        ...


class PrepareDemo(Protocol):
    """`bootstrap.prepare_demo`: writes the bundled incident into SUPERBIZ_HOME."""

    def __call__(self, settings: Settings) -> Demo:
        """Return the question and the settings under which the incident is diagnosed."""
        ...


@dataclass(frozen=True, slots=True)
class Demo:
    """The bundled incident: ask `query` about `window` under `settings`."""

    query: str
    window: IncidentWindow
    settings: Settings
