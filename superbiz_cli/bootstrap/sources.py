"""From configured log sources to those of the log back end: zones, credentials, names."""

from __future__ import annotations

import os
from collections.abc import Mapping
from glob import has_magic
from pathlib import Path

from superbiz_cli.adapters.log_files.source import LogSource
from superbiz_cli.errors import ErrorCode, SuperbizError
from superbiz_cli.harness.tool.logs.contract import LogSourceKind, LogTopic
from superbiz_cli.settings import LogSource as LogSourceSettings
from superbiz_cli.settings import Settings


def log_sources(settings: Settings, *, environ: Mapping[str, str] = os.environ) -> list[LogSource]:
    """Return the configured log sources. Raises SuperbizError for a missing credential."""
    return [log_source(source, settings, environ=environ) for source in settings.logs.sources]


def display_zone(settings: Settings) -> str:
    """Return the IANA name of the zone in which times are shown and read."""
    return settings.ui.zone_name


def log_source(
    source: LogSourceSettings, settings: Settings, *, environ: Mapping[str, str] = os.environ
) -> LogSource:
    """Return one source as the adapters take it. Raises SuperbizError for a missing credential."""

    def secret(name: str | None, key: str) -> str | None:
        return None if name is None else _required(name, f"logs.sources {source.name}: {key}", environ)

    return LogSource(
        name=source.name,
        topic=LogTopic(source.topic),
        kind=LogSourceKind(source.kind),
        paths=source.paths,
        timezone=source.timezone or display_zone(settings),
        encoding=source.encoding,
        service=source.service,
        endpoint=secret(source.url_env, "url_env") or source.url,
        index=source.index or source.table,
        selector=source.selector,
        username=source.username,
        password=secret(source.password_env, "password_env"),
        token=secret(source.token_env, "token_env"),
        zones={name: _seconds_of(offset) for name, offset in source.zones.items()},
        time_field=source.time_field,
        timeout_s=source.timeout_s,
    )


def _seconds_of(offset: str) -> int:
    """Return the seconds of an offset such as +08:00."""
    seconds = int(offset[1:3]) * 3600 + int(offset[4:6]) * 60
    return -seconds if offset[0] == "-" else seconds


def _required(name: str, key: str, environ: Mapping[str, str]) -> str:
    value = environ.get(name)
    if not value:
        raise SuperbizError(
            ErrorCode.CREDENTIAL_MISSING,
            f"The environment variable {name}, named by {key}, is not set.",
            hint=f"export {name}=...",
        )
    return value


def missing_sources(settings: Settings) -> list[str]:
    """Return one sentence for each log source of files that has nothing where it is said to be."""
    return [
        f"The log source {source.name!r} has nothing at {', '.join(source.paths)}: "
        "check [[logs.sources]] paths."
        for source in settings.logs.sources
        if source.paths and not any(paths_matching(pattern) for pattern in source.paths)
    ]


def paths_matching(pattern: str) -> list[Path]:
    """Return the files and folders that a configured path or glob names."""
    path = Path(pattern).expanduser()
    if not has_magic(str(path)):
        return [path] if path.exists() else []
    return sorted(Path(path.anchor).glob(str(path.relative_to(path.anchor))))
