"""Where settings come from: the shipped defaults, up to three files, variables and flags."""

from __future__ import annotations

import os
import re
import stat
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import platformdirs

from superbiz_cli.errors import ErrorCode, SuperbizError
from superbiz_cli.settings.keys import known_keys, nearest_key
from superbiz_cli.settings.layers import Layer, Origin, OriginKind, nested

PROJECT_FILE = "superbiz.toml"
MAX_FILE_BYTES = 1_048_576

_POSITION = re.compile(r"at line (\d+), column (\d+)")
_PREFIX = "SUPERBIZ_"


@dataclass(frozen=True, slots=True)
class Override:
    """A value that was typed as a flag: `key` is dotted, `flag` is what the user typed."""

    key: str
    value: Any
    flag: str


def home_dir(environ: Mapping[str, str]) -> Path:
    """Return the folder that holds all state (SUPERBIZ_HOME). It may not exist yet."""
    if given := environ.get("SUPERBIZ_HOME"):
        return Path(given).expanduser().absolute()
    return Path(platformdirs.user_data_dir("superbiz", appauthor=False))


def user_file(environ: Mapping[str, str]) -> Path:
    """Return the path of the user's own file, in SUPERBIZ_CONFIG_DIR or the platform's folder."""
    if given := environ.get("SUPERBIZ_CONFIG_DIR"):
        return Path(given).expanduser().absolute() / "config.toml"
    return Path(platformdirs.user_config_dir("superbiz", appauthor=False)) / "config.toml"


def read_file(path: Path, kind: OriginKind, *, shown_as: str | None = None) -> Layer:
    """Read one TOML file. Raises SuperbizError (CONFIG_UNREADABLE) with the position, not the text."""
    place = shown_as or str(path)
    try:
        raw = path.read_bytes()
    except OSError as error:
        raise _unreadable(place, _why(error)) from None
    return _parse(raw, Origin(kind, place))


def read_project_file(folder: Path, *, uid: int | None) -> tuple[Layer | None, str | None]:
    """Read ./superbiz.toml if it may be trusted; return the layer and what the user must be told.

    It could point the model at a stranger's address, so it must belong to the user and nobody else
    may be able to write it. The checks are made on the open file: what is checked is what is read.
    """
    path = folder / PROJECT_FILE
    place = f"./{PROJECT_FILE}"
    try:
        descriptor = os.open(path, os.O_RDONLY | getattr(os, "O_CLOEXEC", 0) | getattr(os, "O_NONBLOCK", 0))
    except FileNotFoundError:
        return None, None
    except OSError as error:
        return None, f"{place} is ignored: {_why(error)}"
    with os.fdopen(descriptor, "rb") as stream:
        if (distrust := _distrust(os.fstat(stream.fileno()), path, uid)) is not None:
            return None, f"{place} is ignored: {distrust}"
        raw = stream.read(MAX_FILE_BYTES + 1)
    return _parse(raw, Origin(OriginKind.PROJECT_FILE, place)), f"using {place}"


def read_environment(environ: Mapping[str, str]) -> list[Layer]:
    """Read the variables SUPERBIZ_SECTION__KEY. Raises SuperbizError for one that names no key.

    Variables without "__" are not settings (SUPERBIZ_HOME, or a key that `api_key_env` names).
    """
    layers = []
    for name in sorted(environ):
        if not name.startswith(_PREFIX) or "__" not in name:
            continue
        path = tuple(part.lower() for part in name.removeprefix(_PREFIX).split("__"))
        key = known_keys().get(".".join(path))
        value = environ[name] if key is None or key.is_text else _toml_value(environ[name])
        layers.append(Layer(Origin(OriginKind.ENVIRONMENT, name), nested(path, value)))
    return layers


def flag_layers(overrides: tuple[Override, ...]) -> list[Layer]:
    """Return one layer for each flag."""
    return [
        Layer(Origin(OriginKind.FLAG, o.flag), nested(tuple(o.key.split(".")), o.value)) for o in overrides
    ]


def variable_for(dotted: str) -> str:
    """Return the environment variable of a key: SUPERBIZ_RUN__DEADLINE_S for "run.deadline_s"."""
    return _PREFIX + dotted.upper().replace(".", "__")


def unknown_key(place: str, dotted: str, nearest: str | None = None) -> SuperbizError:
    """Return the error for a key that does not exist, with the one that was probably meant."""
    meant = nearest or nearest_key(dotted)
    if place.startswith(_PREFIX):
        guess = f" (did you mean {variable_for(meant)}?)" if meant else ""
        message = f"the environment variable {place} names no setting{guess}"
    else:
        guess = f" (did you mean '{meant}'?)" if meant else ""
        message = f"{place}: unknown key '{dotted}'{guess}"
    return SuperbizError(
        ErrorCode.CONFIG_INVALID, message, hint="superbiz config show lists every key with its value"
    )


def _parse(raw: bytes, origin: Origin) -> Layer:
    if len(raw) > MAX_FILE_BYTES:
        raise _unreadable(origin.place, f"it is larger than {MAX_FILE_BYTES} bytes")
    try:
        return Layer(origin, tomllib.loads(raw.decode("utf-8-sig")))
    except UnicodeDecodeError:
        raise _unreadable(origin.place, "it is not UTF-8") from None
    except (tomllib.TOMLDecodeError, RecursionError) as error:
        found = _POSITION.search(str(error))
        where = f" (line {found[1]}, column {found[2]})" if found else ""
        raise _unreadable(origin.place, f"it is not valid TOML{where}") from None


def _unreadable(place: str, why: str) -> SuperbizError:
    return SuperbizError(
        ErrorCode.CONFIG_UNREADABLE,
        f"{place} cannot be used: {why}",
        hint="mend the file, or run with --no-config to do without configuration files",
    )


def _why(error: OSError) -> str:
    match error:
        case FileNotFoundError():
            return "there is no such file"
        case PermissionError():
            return "no permission to read it"
        case IsADirectoryError():
            return "it is a folder"
        case _:
            return "it cannot be read"


def _distrust(status: os.stat_result, path: Path, uid: int | None) -> str | None:
    if not stat.S_ISREG(status.st_mode):
        return "it is not a regular file"
    if uid is None:
        return None
    if status.st_uid != uid or path.lstat().st_uid != uid:
        return "it belongs to another user; pass --config superbiz.toml to use it all the same"
    if status.st_mode & (stat.S_IWGRP | stat.S_IWOTH):
        return "others may write it; run: chmod go-w superbiz.toml"
    return None


def _toml_value(text: str) -> Any:
    """Read a variable as a TOML value (60, true, ["a", "b"]); what is none stays text."""
    try:
        return tomllib.loads(f"value = {text}")["value"]
    except (tomllib.TOMLDecodeError, KeyError):
        return text
