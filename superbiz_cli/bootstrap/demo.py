"""Prepares the bundled incident: writes it into the home and points the settings at it."""

from __future__ import annotations

from datetime import UTC, datetime

from superbiz_cli.bootstrap.port import Demo
from superbiz_cli.bootstrap.sources import display_zone
from superbiz_cli.errors import ErrorCode, SuperbizError
from superbiz_cli.harness.contract.evidence import IncidentWindow
from superbiz_cli.settings import LogSource, LogsSettings, MysqlDataSource, MysqlSettings, Settings

DEMO_FOLDER = "demo"
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
        settings=settings.model_copy(
            update={
                "logs": LogsSettings(sources=sources),
                "mysql": MysqlSettings(data_sources=(database,)),
            }
        ),
    )
