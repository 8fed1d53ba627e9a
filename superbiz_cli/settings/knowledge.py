"""The settings of the knowledge base and of the embedding model."""

from __future__ import annotations

from typing import Annotated, Literal, Self

from pydantic import Field, model_validator

from superbiz_cli.settings.section import (
    Endpoint,
    EnvName,
    Label,
    Seconds,
    Section,
    Text,
    refuse_repeats,
)


class EmbeddingSettings(Section):
    """How passages of the knowledge base become vectors; an endpoint also helps to choose skills."""

    provider: Literal["local", "litellm", "none"]
    name: Text | None = None
    api_base: Endpoint | None = None
    api_key_env: EnvName | None = None
    dimension: Annotated[int, Field(ge=1, le=32_768)] | None = None
    batch_size: Annotated[int, Field(ge=1, le=2048)]
    query_prefix: Annotated[str, Field(max_length=1000)]
    passage_prefix: Annotated[str, Field(max_length=1000)]

    @model_validator(mode="after")
    def _remote_has_a_name(self) -> Self:
        if self.provider == "litellm" and self.name is None:
            raise ValueError('needs "name" when provider is "litellm"')
        return self


class KnowledgeTlsSettings(Section):
    """Files for a TLS connection to a Milvus server; an https address alone trusts the system's ones."""

    ca_file: Text | None = None
    cert_file: Text | None = None
    key_file: Text | None = None
    server_name: Text | None = None


class KnowledgeIndexSettings(Section):
    """Parameters of the indexes of a collection."""

    dense: Literal["HNSW", "FLAT"]
    hnsw_m: Annotated[int, Field(ge=2, le=2048)]
    hnsw_ef_construction: Annotated[int, Field(ge=8, le=10_000)]
    hnsw_ef: Annotated[int, Field(ge=8, le=10_000)]
    sparse_drop_ratio: Annotated[float, Field(ge=0, lt=1)]


class KnowledgeChunkSettings(Section):
    """Bounds of one passage."""

    max_chars: Annotated[int, Field(ge=200, le=8000)]
    max_tokens: Annotated[int, Field(ge=64, le=8192)]
    overlap_chars: Annotated[int, Field(ge=0, le=2000)]
    min_chars: Annotated[int, Field(ge=0, le=4000)]

    @model_validator(mode="after")
    def _parts_are_smaller(self) -> Self:
        if max(self.overlap_chars, self.min_chars) >= self.max_chars:
            raise ValueError('"overlap_chars" and "min_chars" must be less than "max_chars"')
        return self


class KnowledgeFusionSettings(Section):
    """How the two searches become one order."""

    method: Literal["convex", "rrf"]
    dense_weight: Annotated[float, Field(ge=0, le=1)]
    rrf_k: Annotated[int, Field(ge=1, le=1000)]


class KnowledgeRatingSettings(Section):
    """From which quality on a lookup is PRECISE, and from which on it is shown at all."""

    precise: Annotated[float, Field(ge=0, le=1)]
    reference: Annotated[float, Field(ge=0, le=1)]

    @model_validator(mode="after")
    def _are_in_order(self) -> Self:
        if self.reference > self.precise:
            raise ValueError('"reference" must not be more than "precise"')
        return self


class KnowledgeDomain(Section):
    """Words of a query that hint at a field of work, and the categories that they narrow a search to."""

    name: Label
    words: Annotated[tuple[Text, ...], Field(min_length=1)]
    categories: tuple[Text, ...] = ()


class KnowledgeSettings(Section):
    """The knowledge base. Without an address: embedded in SUPERBIZ_HOME."""

    uri: Text | None = None
    token_env: EnvName | None = None
    database: Label | None = None
    collection: Label
    scopes: tuple[Text, ...]
    consistency: Literal["Strong", "Bounded", "Session", "Eventually"]
    replicas: Annotated[int, Field(ge=1, le=64)]
    shards: Annotated[int, Field(ge=1, le=64)]
    partition_by_scope: bool
    timeout_s: Seconds
    max_file_mb: Annotated[int, Field(ge=1, le=1000)]
    retrieve_k: Annotated[int, Field(ge=1, le=1000)]
    return_n: Annotated[int, Field(ge=1, le=50)]
    max_per_document: Annotated[int, Field(ge=1, le=50)]
    tls: KnowledgeTlsSettings
    index: KnowledgeIndexSettings
    chunk: KnowledgeChunkSettings
    fusion: KnowledgeFusionSettings
    rating: KnowledgeRatingSettings
    domains: tuple[KnowledgeDomain, ...] = ()

    @model_validator(mode="after")
    def _domains_are_unique(self) -> Self:
        refuse_repeats([domain.name for domain in self.domains], "name")
        return self
