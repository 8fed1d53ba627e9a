"""Layered loading: flags > environment > --config > ./superbiz.toml > user file > default.toml."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from pydantic import ValidationError

from superbiz_cli import assets
from superbiz_cli.errors import ErrorCode, SuperbizError
from superbiz_cli.settings.keys import nearest_in_entry
from superbiz_cli.settings.layers import Layer, Merged, Origin, OriginKind, merge
from superbiz_cli.settings.routes import OFFLINE_ROUTE, SCRIPTED_PREFIX, provider_of
from superbiz_cli.settings.secrets import refuse_secrets
from superbiz_cli.settings.sources import (
    Override,
    flag_layers,
    home_dir,
    read_environment,
    read_file,
    read_project_file,
    unknown_key,
    user_file,
)
from superbiz_cli.settings.tree import Settings, SettingsTree

_TYPE_REMEDY: Final[Mapping[str, str]] = {
    "int_type": "must be a whole number",
    "int_from_float": "must be a whole number",
    "float_type": "must be a number",
    "bool_type": "must be true or false",
    "string_type": "must be text in quotes",
    "tuple_type": "must be a list",
    "mapping_type": "must be a table",
    "dict_type": "must be a table",
    "model_type": "must be a table",
    "string_too_short": "must not be empty",
    "string_too_long": "is too long",
    "finite_number": "must be a finite number",
    "missing": "is missing",
}


@dataclass(frozen=True, slots=True)
class LoadedSettings:
    """The effective settings, the origin of each key, and what the user must be told on stderr."""

    settings: Settings
    merged: Merged
    notices: tuple[str, ...] = ()

    def origin_of(self, dotted: str) -> Origin | None:
        """Return which layer a key's value comes from; None for an optional key that nobody set."""
        return self.merged.origin_of(dotted.split("."))


def load(
    *,
    environ: Mapping[str, str] | None = None,
    folder: Path | None = None,
    config_file: Path | None = None,
    use_files: bool = True,
    overrides: tuple[Override, ...] = (),
    model: str | None = None,
) -> LoadedSettings:
    """Read all layers and check them.

    `folder` is where a project file is looked for, `config_file` what --config names, `model` what
    --model names (it then serves both roles). Raises SuperbizError naming key, place and remedy.
    """
    env = os.environ if environ is None else environ
    files, notices = _file_layers(env, folder or Path.cwd(), config_file, use_files=use_files)
    layers = [*files, *read_environment(env), *flag_layers(overrides)]
    for layer in layers:
        refuse_secrets(layer)
    merged = merge(layers)
    if model is not None:
        merged = merge([*layers, *_for_model(model, merged)])
    tree = _checked(merged)
    settings = Settings(
        home=home_dir(env), **{name: getattr(tree, name) for name in SettingsTree.model_fields}
    )
    return LoadedSettings(settings=settings, merged=merged, notices=notices)


def _file_layers(
    environ: Mapping[str, str], folder: Path, config_file: Path | None, *, use_files: bool
) -> tuple[list[Layer], tuple[str, ...]]:
    layers = [read_file(assets.default_config(), OriginKind.DEFAULT, shown_as="config/default.toml")]
    if not use_files or environ.get("SUPERBIZ_NO_CONFIG", "").lower() in ("1", "true", "yes"):
        return layers, ()
    own = user_file(environ)
    if own.is_file():
        layers.append(read_file(own, OriginKind.USER_FILE))
    project, notice = read_project_file(folder, uid=os.getuid() if hasattr(os, "getuid") else None)
    if project is not None:
        layers.append(project)
    named = config_file or (Path(given) if (given := environ.get("SUPERBIZ_CONFIG")) else None)
    if named is not None:
        layers.append(read_file(named.expanduser(), OriginKind.CONFIG_FILE))
    return layers, (notice,) if notice else ()


_WITHOUT_ADDRESS = ("", provider_of(OFFLINE_ROUTE), SCRIPTED_PREFIX)
"""What needs no address: one that stands beside it was written for the model that a flag names."""


def _for_model(name: str, merged: Merged) -> list[Layer]:
    """Return the layers of --model: both roles use it, and no address or key of another provider."""
    origin = Origin(OriginKind.FLAG, "--model")
    layers = []
    for role in ("agent", "guard"):
        section = _table(merged.values, "model", role)
        before = section.get("name") or _table(merged.values, "model", "agent").get("name") or ""
        values: dict[str, Any] = {"name": name}
        if provider_of(str(before)) not in (provider_of(name), *_WITHOUT_ADDRESS):
            values |= {"api_base": None, "api_key_env": None}
        layers.append(Layer(origin, {"model": {role: values}}))
    return layers


def _table(values: Mapping[str, Any], *path: str) -> Mapping[str, Any]:
    for name in path:
        inner = values.get(name)
        values = inner if isinstance(inner, Mapping) else {}
    return values


def _checked(merged: Merged) -> SettingsTree:
    try:
        return SettingsTree.model_validate(merged.values)
    except ValidationError as error:
        details = sorted(error.errors(include_url=False), key=lambda item: item["type"] != "extra_forbidden")
        raise _explain(details[0], merged, more=len(details) - 1) from None


def _explain(detail: Mapping[str, Any], merged: Merged, *, more: int) -> SuperbizError:
    path = detail["loc"]
    origin = merged.origin_of(path)
    place = origin.place if origin else "config/default.toml"
    dotted = _dotted(path)
    if detail["type"] == "extra_forbidden":
        near = nearest_in_entry(path[:-1], str(path[-1])) if any(isinstance(p, int) for p in path) else None
        return unknown_key(place, dotted, near)
    what = _what(detail)
    rest = f" ({more} more to mend)" if more else ""
    return SuperbizError(
        ErrorCode.CONFIG_INVALID,
        f"{place}: '{dotted}' {what}{rest}",
        hint="superbiz config show lists every key; config/default.toml explains each",
    )


def _what(detail: Mapping[str, Any]) -> str:
    context = detail.get("ctx", {})
    match detail["type"]:
        case "value_error":
            return str(context.get("error", "is not possible"))
        case "literal_error":
            return f"must be one of {context.get('expected', '')}"
        case "greater_than":
            return f"must be greater than {context['gt']}"
        case "greater_than_equal":
            return f"must be at least {context['ge']}"
        case "less_than_equal":
            return f"must be at most {context['le']}"
        case "string_pattern_mismatch":
            return f"must match {context.get('pattern', '')}"
        case kind:
            return _TYPE_REMEDY.get(kind, "is not possible")


def _dotted(path: tuple[str | int, ...]) -> str:
    text = ""
    for part in path:
        text += f"[{part}]" if isinstance(part, int) else f".{part}" if text else part
    return text
