"""What `doctor` looks at: home, model, stores, sources, skills. Nothing is changed, no secret is shown."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import ExitStack
from functools import partial
from pathlib import Path
from tempfile import TemporaryFile

from superbiz_cli.bootstrap.data_source_checks import data_source_checks
from superbiz_cli.bootstrap.knowledge_checks import knowledge_check
from superbiz_cli.bootstrap.log_checks import log_source_check
from superbiz_cli.bootstrap.models import open_model
from superbiz_cli.bootstrap.port import Check, CheckStatus
from superbiz_cli.bootstrap.skills import skill_library
from superbiz_cli.bootstrap.stores import audit_target, open_run_archive, open_store
from superbiz_cli.errors import SuperbizError
from superbiz_cli.harness.audit.archive import AuditUnavailable
from superbiz_cli.harness.contract.model import (
    ChatModel,
    Message,
    ModelRequest,
    ModelRole,
    ModelUnavailable,
    RetryFailure,
)
from superbiz_cli.harness.core.cancellation import Cancellation
from superbiz_cli.harness.tool.invocation import StoreError
from superbiz_cli.settings import SCRIPTED_PREFIX, ModelRoute, Settings

MODEL_PROBE_S = 8.0


def examine(settings: Settings) -> Iterator[Check]:
    """Yield each check when it is done; every check has its own time limit."""
    yield _home(settings)
    yield from _models(settings)
    yield _guarded("canonical store", lambda: _store(settings))
    yield _guarded("audit", lambda: _audit(settings))
    yield from _logs(settings)
    yield from data_source_checks(settings)
    yield _guarded("knowledge", lambda: knowledge_check(settings))
    yield _guarded("skills", lambda: _skills(settings))


def _guarded(name: str, look: Callable[[], Check]) -> Check:
    try:
        return look()
    except SuperbizError as error:
        return Check(name, CheckStatus.FAIL, error.message, error.hint)


def _home(settings: Settings) -> Check:
    home = settings.home
    existing = next(path for path in (home, *home.parents) if path.exists())
    if not existing.is_dir() or not _is_writable(existing):
        return Check(
            "home",
            CheckStatus.FAIL,
            f"{home} cannot be written",
            "set SUPERBIZ_HOME to a folder that you can write",
        )
    return Check("home", CheckStatus.OK, f"{home}{'' if home.exists() else ' (made by the first run)'}")


def _is_writable(folder: Path) -> bool:
    """Whether a file can be made in `folder`; permission bits say nothing about /proc or a full disk."""
    try:
        with TemporaryFile(dir=folder):
            return True
    except OSError:
        return False


def _models(settings: Settings) -> Iterator[Check]:
    agent, guard = settings.model.agent_route, settings.model.guard_route
    yield _guarded("model", lambda: _model("model", agent))
    if guard != agent:
        yield _guarded("guard model", lambda: _model("guard model", guard))


def _model(name: str, route: ModelRoute) -> Check:
    if route.is_offline:
        detail = f"{route.name}: built in, deterministic, no network"
        return Check(name, CheckStatus.OK, detail, "set [model.agent] name to use a language model")
    with ExitStack() as stack:
        model = open_model(route, stack)
        if route.name.startswith(SCRIPTED_PREFIX):
            return Check(name, CheckStatus.OK, f"{route.name}: plays a script")
        return _probe(name, route, model)


def _probe(name: str, route: ModelRoute, model: ChatModel) -> Check:
    """Send the smallest question there is: only an answer proves address, key and model name."""
    question = Message("user", "Answer with the word ok.")
    request = ModelRequest(role=ModelRole.ROUTER, messages=(question,), max_output_tokens=5)
    try:
        model.complete(request, timeout_s=MODEL_PROBE_S, cancel=Cancellation())
    except ModelUnavailable as error:
        if error.failure is not RetryFailure.INVALID_OUTPUT:  # an odd answer is an answer, too
            fix = error.hint or "check [model.agent] name, api_base and api_key_env"
            return Check(name, CheckStatus.FAIL, f"{route.name}: no answer ({error.failure.value})", fix)
    return Check(name, CheckStatus.OK, f"{route.name}: answers")


def _store(settings: Settings) -> Check:
    backend = settings.canonical.backend
    if backend == "embedded" and not settings.home.exists():
        return Check("canonical store", CheckStatus.OK, "embedded (made by the first run)")
    store = open_store(settings)
    try:
        store.find("doctor", "doctor")
    except StoreError as error:
        return Check(
            "canonical store",
            CheckStatus.FAIL,
            f"{backend}: cannot be read ({error.fault.value})",
            "move the store's file away, or check the server that [canonical] url names",
        )
    finally:
        store.close()
    return Check("canonical store", CheckStatus.OK, f"{backend}: answers")


def _audit(settings: Settings) -> Check:
    where = "SQLite file in the home" if isinstance(audit_target(settings), Path) else "database by URL"
    try:
        archive = open_run_archive(settings, create=False)
        try:
            runs = archive.recent_runs(limit=1).runs
        finally:
            archive.close()
    except AuditUnavailable as error:
        return Check("audit", CheckStatus.FAIL, str(error), error.remedy)
    newest = f"last run {runs[0].started_at:%Y-%m-%d %H:%M} UTC" if runs else "no run yet"
    return Check("audit", CheckStatus.OK, f"{where}: {newest}")


def _logs(settings: Settings) -> Iterator[Check]:
    if not settings.logs.sources:
        yield Check(
            "logs",
            CheckStatus.WARN,
            "no source configured: query_logs does not exist",
            "add [[logs.sources]] to the configuration;  superbiz config init  writes an example",
        )
    for source in settings.logs.sources:
        yield _guarded(f"logs {source.name}", partial(log_source_check, source, settings))


def _skills(settings: Settings) -> Check:
    library = skill_library(settings)
    if library.faults:
        return Check(
            "skills", CheckStatus.WARN, str(library.faults[0]), "mend the file, or remove the folder"
        )
    return Check("skills", CheckStatus.OK, f"{len(library.skills)} skill(s)")
