"""The settings tree: every key of the configuration file, its type and what values are possible.

The sections have no defaults of their own: those are in config/default.toml, the lowest layer. An
optional key is None when no layer sets it. Entries of lists (log sources, data sources) have their
defaults here, because only a user can write such an entry.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Literal, Self, TypeAlias
from zoneinfo import ZoneInfo

from pydantic import AfterValidator, Field, StringConstraints, model_validator

from superbiz_cli.settings.knowledge import EmbeddingSettings, KnowledgeSettings
from superbiz_cli.settings.routes import ModelRoute, provider_of
from superbiz_cli.settings.section import (
    Count,
    Endpoint,
    EnvName,
    Label,
    Seconds,
    Section,
    Text,
    refuse_repeats,
)
from superbiz_cli.settings.zone import local_zone_name


def _known_zone(name: str) -> str:
    try:
        ZoneInfo(name)
    except (KeyError, OSError, ValueError) as error:
        raise ValueError("is not a time zone name; write one such as Asia/Shanghai or UTC") from error
    return name


def _known_zone_or_auto(name: str) -> str:
    return name if name == "auto" else _known_zone(name)


Zone: TypeAlias = Annotated[str, AfterValidator(_known_zone)]
ZoneAbbreviation: TypeAlias = Annotated[str, StringConstraints(pattern=r"^[A-Za-z]{1,6}$")]
UtcOffset: TypeAlias = Annotated[str, StringConstraints(pattern=r"^[+-](0\d|1[0-4]):[0-5]\d$")]
LogTopic: TypeAlias = Literal["APPLICATION", "DATABASE_SLOW_QUERY", "SYSTEM_EVENTS"]
MysqlTls: TypeAlias = Literal["disabled", "preferred", "required", "verify-ca", "verify-identity"]
LogKind: TypeAlias = Literal[
    "files", "mysql_slow_log", "syslog", "journald", "elasticsearch", "loki", "clickhouse"
]
_REMOTE_KINDS = frozenset({"elasticsearch", "loki", "clickhouse"})


class AgentModelSettings(Section):
    """The model that investigates."""

    name: Text
    api_base: Endpoint | None = None
    api_key_env: EnvName | None = None
    timeout_s: Seconds
    temperature: Annotated[float, Field(ge=0, le=2)] | None = None
    max_output_tokens: Count


class GuardModelSettings(Section):
    """The model of router, judge and repair. What is absent follows the agent's model."""

    name: Text | None = None
    api_base: Endpoint | None = None
    api_key_env: EnvName | None = None
    timeout_s: Seconds | None = None
    temperature: Annotated[float, Field(ge=0, le=2)] | None = None
    max_output_tokens: Count | None = None


class ModelSettings(Section):
    """The two roles."""

    agent: AgentModelSettings
    guard: GuardModelSettings

    @property
    def agent_route(self) -> ModelRoute:
        """Where the agent's calls go."""
        agent = self.agent
        return ModelRoute(
            name=agent.name,
            api_base=agent.api_base,
            api_key_env=agent.api_key_env,
            timeout_s=agent.timeout_s,
            temperature=agent.temperature,
            max_output_tokens=agent.max_output_tokens,
        )

    @property
    def guard_route(self) -> ModelRoute:
        """Where the guards' calls go.

        The agent's address, key and temperature are taken over only within the same provider: one
        provider's key must not reach another one.
        """
        agent, guard = self.agent_route, self.guard
        name = guard.name or agent.name
        akin = provider_of(name) == provider_of(agent.name)
        temperature = agent.temperature if akin else None
        return ModelRoute(
            name=name,
            api_base=guard.api_base or (agent.api_base if akin else None),
            api_key_env=guard.api_key_env or (agent.api_key_env if akin else None),
            timeout_s=guard.timeout_s or agent.timeout_s,
            temperature=guard.temperature if guard.temperature is not None else temperature,
            max_output_tokens=guard.max_output_tokens or agent.max_output_tokens,
        )


class PayloadSettings(Section):
    """Largest single payloads, in UTF-8 bytes."""

    query_bytes: Count
    previous_turn_bytes: Count
    agent_input_bytes: Count
    draft_bytes: Count
    judge_input_bytes: Count
    judge_output_bytes: Count
    repair_input_bytes: Count
    repair_output_bytes: Count
    canonical_record_bytes: Count
    agent_result_bytes: Count


class AttemptSettings(Section):
    """Seconds for one kind of model call: for one attempt, and for all of them together."""

    attempt_s: Seconds
    total_s: Seconds


class AttemptsSettings(Section):
    """Time limits of the guards' model calls."""

    router: AttemptSettings
    judge: AttemptSettings
    repair: AttemptSettings


class RunSettings(Section):
    """Deadline and budget of one Run."""

    deadline_s: Seconds
    max_model_calls: Count
    max_tool_calls: Count
    max_calls_per_tool: Count
    max_input_tokens: Count
    max_output_tokens: Count
    max_total_tokens: Count
    max_run_bytes: Count
    payload: PayloadSettings
    attempts: AttemptsSettings


class ProgressSettings(Section):
    """When more searching is worthless."""

    max_consecutive_no_gain: Count
    max_consecutive_violations: Count


class CanonicalSettings(Section):
    """Where the canonical invocations of a Run live."""

    backend: Literal["embedded", "redis"]
    url: Text | None = None
    url_env: EnvName | None = None
    key_prefix: Label
    ttl_s: Annotated[int, Field(ge=60, le=604_800)]
    timeout_s: Seconds

    @model_validator(mode="after")
    def _redis_has_an_address(self) -> Self:
        if self.backend == "redis" and not (self.url or self.url_env):
            raise ValueError('needs "url" or "url_env" when backend is "redis"')
        return self


class AuditSettings(Section):
    """Where Runs are recorded. Without an address: a SQLite file in SUPERBIZ_HOME."""

    url: Text | None = None
    url_env: EnvName | None = None
    reasoning: bool


class LogSource(Section):
    """One place where logs are. Which keys apply depends on `kind`."""

    name: Label
    topic: LogTopic
    kind: LogKind = "files"
    paths: tuple[Text, ...] = ()
    timezone: Zone | None = None
    encoding: Text | None = None
    service: Text | None = None
    url: Endpoint | None = None
    url_env: EnvName | None = None
    username: Text | None = None
    password_env: EnvName | None = None
    token_env: EnvName | None = None
    index: Text | None = None
    selector: Text | None = None
    table: Text | None = None
    zones: dict[ZoneAbbreviation, UtcOffset] = Field(default_factory=dict)
    time_field: Text | None = None
    timeout_s: Annotated[float, Field(gt=0, le=120)] = 10.0

    @model_validator(mode="after")
    def _has_a_place(self) -> Self:
        if self.kind == "files" and not self.paths:
            raise ValueError('needs "paths" (files, folders or globs)')
        if self.kind in _REMOTE_KINDS and self.url is None and self.url_env is None:
            raise ValueError('needs "url", or "url_env" with the name of a variable that holds it')
        return self


class LogsSettings(Section):
    """The sources that `query_logs` may read."""

    sources: tuple[LogSource, ...] = ()

    @model_validator(mode="after")
    def _names_are_unique(self) -> Self:
        refuse_repeats([source.name for source in self.sources], "name")
        return self


class MysqlLimits(Section):
    """Bounds of one statement and of its result."""

    max_rows: Annotated[int, Field(ge=1, le=1000)] = 100
    max_cell_chars: Annotated[int, Field(ge=1, le=20_000)] = 2000
    max_bytes: Annotated[int, Field(ge=1024, le=1_000_000)] = 65_536
    timeout_s: Annotated[float, Field(gt=0, le=60)] = 5.0


class MysqlDataSource(Section):
    """One database that `query_mysql` may read, and the only tables and columns of it that it may name.

    Its address is `url`, `url_env` or `host`; the keys that a URL would say otherwise go with `host`.
    """

    id: Label
    url: Text | None = None
    url_env: EnvName | None = None
    host: Text | None = None
    port: Annotated[int, Field(ge=1, le=65_535)] | None = None
    user: Text | None = None
    tls: MysqlTls | None = None
    ca_file: Text | None = None
    password_env: EnvName | None = None
    default_schema: Text | None = None
    description: Text | None = None
    allowed: Mapping[str, Mapping[str, tuple[str, ...]]] = Field(default_factory=dict)
    limits: MysqlLimits = MysqlLimits()

    @model_validator(mode="after")
    def _has_one_address(self) -> Self:
        addresses = [key for key in ("url", "url_env", "host") if getattr(self, key)]
        if not addresses:
            raise ValueError('needs "url", "url_env" or "host"')
        if len(addresses) > 1:
            raise ValueError(f'has both "{addresses[0]}" and "{addresses[1]}"; keep one')
        of_host = [key for key in ("port", "user", "tls", "ca_file") if getattr(self, key) is not None]
        if of_host and not self.host:
            raise ValueError(f'"{of_host[0]}" goes with "host"; a URL says it by itself')
        return self


class MysqlSettings(Section):
    """The databases that `query_mysql` may read."""

    data_sources: tuple[MysqlDataSource, ...] = ()

    @model_validator(mode="after")
    def _ids_are_unique(self) -> Self:
        refuse_repeats([source.id for source in self.data_sources], "id")
        return self


class SkillsSettings(Section):
    """Where skills are looked for, besides those that ship with the product."""

    paths: tuple[Text, ...] = ()


class UiSettings(Section):
    """How results are shown."""

    language: Literal["auto", "en", "zh"]
    timezone: Annotated[str, AfterValidator(_known_zone_or_auto)]
    pager: Literal["auto", "never"]

    @property
    def zone_name(self) -> str:
        """The IANA name of the zone that times are read and shown in."""
        return local_zone_name() if self.timezone == "auto" else self.timezone


class SettingsTree(Section):
    """All that a configuration file may hold."""

    model: ModelSettings
    embedding: EmbeddingSettings
    run: RunSettings
    progress: ProgressSettings
    canonical: CanonicalSettings
    audit: AuditSettings
    knowledge: KnowledgeSettings
    logs: LogsSettings
    mysql: MysqlSettings
    skills: SkillsSettings
    ui: UiSettings


class Settings(SettingsTree):
    """The effective settings, and `home`, the folder that holds all state of the product."""

    home: Path
