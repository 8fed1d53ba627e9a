"""Settings: a frozen tree, loaded in layers; for every key it is known where its value comes from."""

from superbiz_cli.settings.knowledge import KnowledgeSettings
from superbiz_cli.settings.layers import Origin, OriginKind
from superbiz_cli.settings.load import LoadedSettings, load
from superbiz_cli.settings.routes import OFFLINE_ROUTE, SCRIPTED_PREFIX, ModelRoute
from superbiz_cli.settings.sources import Override, home_dir, user_file
from superbiz_cli.settings.tree import (
    LogSource,
    LogsSettings,
    MysqlDataSource,
    MysqlSettings,
    Settings,
)

__all__ = [
    "OFFLINE_ROUTE",
    "SCRIPTED_PREFIX",
    "KnowledgeSettings",
    "LoadedSettings",
    "LogSource",
    "LogsSettings",
    "ModelRoute",
    "MysqlDataSource",
    "MysqlSettings",
    "Origin",
    "OriginKind",
    "Override",
    "Settings",
    "home_dir",
    "load",
    "user_file",
]
