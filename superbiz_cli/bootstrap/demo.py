"""Prepares the bundled incident: writes it into the home and points the settings at it.

The example runbooks go into a knowledge base of the demo's own, by the built-in model, whose vectors of
them ship with the product: nothing is embedded but the question.
"""

from __future__ import annotations

import hashlib
from contextlib import suppress
from datetime import UTC, datetime
from pathlib import Path

from superbiz_cli.assets import runbook_vectors, runbooks_root
from superbiz_cli.bootstrap.port import Demo
from superbiz_cli.bootstrap.sources import display_zone
from superbiz_cli.errors import ErrorCode, SuperbizError
from superbiz_cli.harness.contract.evidence import IncidentWindow
from superbiz_cli.knowledge.ports import EmbeddingUnavailable, StoreUnavailable
from superbiz_cli.settings import (
    LogSource,
    LogsSettings,
    MysqlDataSource,
    MysqlSettings,
    Settings,
)

DEMO_FOLDER = "demo"
KNOWLEDGE_FOLDER = "knowledge"
STAMP_FILE = "runbooks.stamp"
DEMO_DATA_SOURCE = "shop-ro"
DEMO_SCHEMA = "shop"


def prepare_demo(settings: Settings, *, now: datetime | None = None) -> Demo:
    """Write the incident into `SUPERBIZ_HOME/demo` and return what to ask.

    The sources of the settings are replaced by the incident's own; model and stores stay.
    Raises SuperbizError if the home cannot be written.
    """
    from zoneinfo import ZoneInfo

    from superbiz_cli.demo.incident import create_incident

    zone = display_zone(settings)
    folder = settings.home / DEMO_FOLDER
    try:
        incident = create_incident(folder, now=(now or datetime.now(UTC)).astimezone(ZoneInfo(zone)))
    except OSError as error:
        raise SuperbizError(
            ErrorCode.HOME_UNUSABLE,
            f"The demo incident cannot be written into {folder}.",
            hint="set SUPERBIZ_HOME to a folder that you can write",
        ) from error
    sources = tuple(
        LogSource.model_validate(
            {
                "name": source.name,
                "topic": source.topic,
                "kind": source.kind,
                "paths": (str(source.path),),
                "timezone": zone,
                "service": source.service,
            }
        )
        for source in incident.log_sources
    )
    database = MysqlDataSource.model_validate(
        {
            "id": DEMO_DATA_SOURCE,
            "url": f"sqlite:///{incident.database.absolute()}",
            "default_schema": DEMO_SCHEMA,
            "description": "payments, samples of the connection pools, and which columns have an index",
            "allowed": {DEMO_SCHEMA: dict(incident.allowed_columns)},
        }
    )
    chinese = settings.ui.language == "zh"
    return Demo(
        query=incident.question_zh if chinese else incident.question,
        window=IncidentWindow(until=incident.until, since=incident.since, timezone=zone),
        settings=_with_runbooks(settings, folder).model_copy(
            update={
                "logs": LogsSettings(sources=sources),
                "mysql": MysqlSettings(data_sources=(database,)),
            }
        ),
    )


def _with_runbooks(settings: Settings, folder: Path) -> Settings:
    """Point the settings at a knowledge base of the example runbooks, brought up to date if it is not.

    A knowledge base that cannot be written now (another process holds it, the disk is full) is left as
    it is: the demo works without one.
    """
    from superbiz_cli.bootstrap.knowledge import WRITE_DEADLINE_S, knowledge_folder, knowledge_run
    from superbiz_cli.bootstrap.knowledge_writes import IngestChoices, ingestion
    from superbiz_cli.knowledge.ingest.ingestion import Unheard

    knowledge = settings.knowledge.model_copy(
        update={"uri": str(folder / KNOWLEDGE_FOLDER), "token_env": None, "scopes": (), "return_n": 3}
    )
    embedding = settings.embedding.model_copy(update={"provider": "local", "name": None})
    settings = settings.model_copy(update={"knowledge": knowledge, "embedding": embedding})
    stamp = knowledge_folder(settings) / STAMP_FILE
    current = _stamp(settings)
    if _read(stamp) == current:
        return settings
    run = knowledge_run(deadline_s=WRITE_DEADLINE_S)
    with suppress(SuperbizError, StoreUnavailable, EmbeddingUnavailable, OSError):
        with ingestion(settings, IngestChoices(), listener=Unheard(), run=run) as opened:
            opened.ingest([str(runbooks_root())], prune=True)
        stamp.write_text(current, encoding="utf-8")
    return settings


def _stamp(settings: Settings) -> str:
    """Return what changes when the example runbooks, or how they are cut, change."""
    digest = hashlib.blake2b(repr(settings.knowledge.chunk).encode("utf-8"), digest_size=16)
    for path in [*sorted(runbooks_root().rglob("*.md")), runbook_vectors()]:
        digest.update(path.read_bytes())
    return digest.hexdigest()


def _read(path: Path) -> str:
    try:
        return path.read_text(encoding="utf-8")
    except OSError:
        return ""
