"""What `doctor` looks at of the knowledge base: what it holds, whether it can be used, by which model."""

from __future__ import annotations

from superbiz_cli.bootstrap.knowledge import (
    embedder_identity,
    is_configured,
    is_on_server,
    known_summary,
    open_knowledge_store,
)
from superbiz_cli.bootstrap.port import Check, CheckStatus
from superbiz_cli.errors import SuperbizError
from superbiz_cli.knowledge.index import WrongCollection, check_profile
from superbiz_cli.knowledge.ports import ChunkStore, StoreUnavailable
from superbiz_cli.knowledge.summary import KnowledgeSummary, summarize
from superbiz_cli.settings import Settings

NAME = "knowledge"
PROBE_S = 3.0


def knowledge_check(settings: Settings) -> Check:
    """Return documents, passages, model and last ingestion.

    The embedded store is not opened, so that the check also works while another process writes to it.
    """
    if not is_on_server(settings):
        summary = known_summary(settings)
        if summary is None:
            return _empty() if not is_configured(settings) else _interrupted()
        return _of(summary, settings)
    try:
        return _server(settings)
    except StoreUnavailable as error:
        return Check(NAME, CheckStatus.FAIL, f"{settings.knowledge.uri}: does not answer", error.hint)
    except SuperbizError as error:
        return Check(NAME, CheckStatus.FAIL, error.message, error.hint)


def _server(settings: Settings) -> Check:
    timeout_s = min(PROBE_S, settings.knowledge.timeout_s)
    quick = settings.model_copy(
        update={"knowledge": settings.knowledge.model_copy(update={"timeout_s": timeout_s})}
    )
    store = open_knowledge_store(quick)
    try:
        return _of_store(store, settings)
    finally:
        store.close()


def _of_store(store: ChunkStore, settings: Settings) -> Check:
    profile = store.profile()
    if profile is None:
        return _empty()
    try:
        check_profile(profile, embedder_identity(settings))
    except WrongCollection as error:
        return Check(NAME, CheckStatus.FAIL, str(error), error.hint)
    return _of(summarize(profile, store.documents()), settings)


def _of(summary: KnowledgeSummary, settings: Settings) -> Check:
    detail = (
        f"{summary.documents} documents, {summary.chunks} passages, model {summary.model},"
        f" last change {summary.changed_at[:16].replace('T', ' ')} UTC"
    )
    configured = str(embedder_identity(settings))
    if configured != summary.model:
        return Check(
            NAME,
            CheckStatus.FAIL,
            f"{detail}; the settings name {configured}",
            "superbiz kb rebuild  embeds what is stored with the model of the settings",
        )
    if not summary.documents:
        return _empty()
    return Check(NAME, CheckStatus.OK, detail)


def _empty() -> Check:
    return Check(
        NAME,
        CheckStatus.SKIP,
        "empty: lookup_knowledge does not exist",
        "superbiz kb ingest PATH  adds runbooks;  --examples  adds those that ship with superbiz",
    )


def _interrupted() -> Check:
    return Check(
        NAME,
        CheckStatus.WARN,
        "an ingestion was stopped before its end",
        "run  superbiz kb ingest  again; it goes on where it was",
    )
