"""How to reach Milvus and how to lay out its collections; the settings become one of these."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True, slots=True)
class TlsOptions:
    """Files for a TLS connection to a server. Empty strings mean the system's defaults."""

    ca_file: str = ""
    cert_file: str = ""
    key_file: str = ""
    server_name: str = ""


@dataclass(frozen=True, slots=True)
class IndexOptions:
    """Parameters of the dense index ("HNSW" or "FLAT") and of the sparse one."""

    dense: str = "HNSW"
    hnsw_m: int = 16
    hnsw_ef_construction: int = 200
    hnsw_ef: int = 128
    sparse_drop_ratio: float = 0.0


@dataclass(frozen=True, slots=True)
class MilvusOptions:
    """Where the collection is. `folder` is the embedded engine's; a `uri` means a server instead."""

    collection: str
    folder: Path
    uri: str | None = None
    token: str = ""
    database: str = ""
    tls: TlsOptions | None = None
    consistency: str = "Bounded"
    replicas: int = 1
    shards: int = 1
    partition_by_scope: bool = True
    index: IndexOptions = IndexOptions()
    timeout_s: float = 10.0
