"""Layers of settings: nested values with one origin each, laid over one another key by key.

A table is merged with the table below it; anything else (a list too) replaces what lies below.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Any, TypeAlias

Path: TypeAlias = tuple[str, ...]


class OriginKind(StrEnum):
    """The six layers, the strongest last."""

    DEFAULT = "default"
    USER_FILE = "user file"
    PROJECT_FILE = "project file"
    CONFIG_FILE = "config file"
    ENVIRONMENT = "environment"
    FLAG = "flag"


@dataclass(frozen=True, slots=True)
class Origin:
    """Where a value comes from. `place` is a file, the name of a variable or of a flag."""

    kind: OriginKind
    place: str


@dataclass(frozen=True, slots=True)
class Layer:
    """The values of one origin. Variables and flags are layers of one key each."""

    origin: Origin
    values: Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Merged:
    """All layers as one tree, and the origin of each leaf."""

    values: Mapping[str, Any]
    origins: Mapping[Path, Origin]

    def origin_of(self, path: Sequence[str | int]) -> Origin | None:
        """Return where the value at `path`, or the closest thing around it, comes from.

        For a table that several layers share it is the origin of its strongest leaf.
        """
        names = tuple(part for part in path if isinstance(part, str))
        for length in range(len(names), 0, -1):
            if (exact := self.origins.get(names[:length])) is not None:
                return exact
        inside = [origin for leaf, origin in self.origins.items() if leaf[: len(names)] == names]
        return max(inside, key=lambda origin: list(OriginKind).index(origin.kind), default=None)


def merge(layers: Sequence[Layer]) -> Merged:
    """Lay the layers over one another, the weakest first."""
    values: dict[str, Any] = {}
    origins: dict[Path, Origin] = {}
    for layer in layers:
        _lay(layer.values, onto=values, path=(), origin=layer.origin, origins=origins)
    return Merged(values=values, origins=origins)


def nested(path: Path, value: Any) -> dict[str, Any]:
    """Return the table that holds `value` at `path`."""
    for name in reversed(path):
        value = {name: value}
    return dict(value)


def _lay(
    table: Mapping[str, Any], *, onto: dict[str, Any], path: Path, origin: Origin, origins: dict[Path, Origin]
) -> None:
    for name, value in table.items():
        here = (*path, name)
        if isinstance(value, Mapping):
            if not isinstance(onto.get(name), dict):
                _settle(origins, here, origin)
                onto[name] = {}
            if value:
                origins.pop(here, None)
            _lay(value, onto=onto[name], path=here, origin=origin, origins=origins)
        else:
            _settle(origins, here, origin)
            onto[name] = frozen(value)


def _settle(origins: dict[Path, Origin], here: Path, origin: Origin) -> None:
    """Make `here` a leaf of `origin`: whatever was known below it is hidden."""
    for leaf in [leaf for leaf in origins if leaf[: len(here)] == here]:
        del origins[leaf]
    origins[here] = origin


def frozen(value: Any) -> Any:
    """Return `value` with every list as a tuple, as the strict tree wants it."""
    match value:
        case list() | tuple():
            return tuple(frozen(item) for item in value)
        case Mapping():
            return {key: frozen(item) for key, item in value.items()}
        case _:
            return value
