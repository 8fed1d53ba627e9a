"""The keys that the settings tree knows, read off its types: for look-up, hints and environment names."""

from __future__ import annotations

import types
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from difflib import get_close_matches
from functools import cache
from typing import Any, Union, get_args, get_origin

from pydantic import BaseModel

from superbiz_cli.settings.tree import SettingsTree


@dataclass(frozen=True, slots=True)
class Key:
    """One key of the configuration file. `is_text` says that an environment value is taken as it is."""

    path: tuple[str, ...]
    is_text: bool

    @property
    def dotted(self) -> str:
        """The key as people write it: "run.deadline_s"."""
        return ".".join(self.path)


@cache
def known_keys() -> Mapping[str, Key]:
    """Return every key that stands outside a list, by its dotted name, in the order of the tree."""
    return {key.dotted: key for key in _walk(SettingsTree, ())}


def nearest_key(dotted: str) -> str | None:
    """Return the known key that was most likely meant by the unknown `dotted`, or None."""
    known = list(known_keys())
    close = get_close_matches(dotted, known, n=1, cutoff=0.75)
    if close:
        return close[0]
    leaf = dotted.rsplit(".", 1)[-1]
    same_leaf = [key for key in known if key.rsplit(".", 1)[-1] == leaf]
    if len(same_leaf) == 1:
        return same_leaf[0]
    sections = {key.rsplit(".", 1)[0] for key in known}
    return next(iter(get_close_matches(dotted, sorted(sections), n=1, cutoff=0.75)), None)


def nearest_in_entry(path: tuple[str | int, ...], key: str) -> str | None:
    """Return the key of a list entry (a log source, a data source) that was most likely meant."""
    model: Any = SettingsTree
    for part in path:
        model = _entry_model(model) if isinstance(part, int) else _field_type(model, part)
        if model is None:
            return None
    if not _is_section(model):
        return None
    return next(iter(get_close_matches(key, list(model.model_fields), n=1, cutoff=0.6)), None)


def _walk(section: type[BaseModel], prefix: tuple[str, ...]) -> Iterator[Key]:
    for name, field in section.model_fields.items():
        path = (*prefix, name)
        if _is_section(field.annotation):
            yield from _walk(field.annotation, path)  # type: ignore[arg-type]
        else:
            yield Key(path=path, is_text=_accepts_text(field.annotation))


def _accepts_text(annotation: Any) -> bool:
    origin = get_origin(annotation)
    if origin in (Union, types.UnionType):
        return any(_accepts_text(arg) for arg in get_args(annotation) if arg is not type(None))
    if hasattr(annotation, "__metadata__"):
        return _accepts_text(get_args(annotation)[0])
    if annotation is str:
        return True
    return all(isinstance(arg, str) for arg in get_args(annotation)) if get_args(annotation) else False


def _is_section(annotation: Any) -> bool:
    return isinstance(annotation, type) and issubclass(annotation, BaseModel)


def _field_type(model: Any, name: str) -> Any:
    if not _is_section(model) or name not in model.model_fields:
        return None
    return model.model_fields[name].annotation


def _entry_model(annotation: Any) -> Any:
    args = get_args(annotation)
    return args[0] if args else None
