"""Reading YAML that others wrote: one document, no key twice, no alias bomb, no object of Python."""

from __future__ import annotations

from typing import Any

import yaml

_Loader: Any = getattr(yaml, "CSafeLoader", yaml.SafeLoader)


class StrictYamlError(ValueError):
    """The text is not one acceptable document. `problem` is ours; `line` is from 1, where known."""

    def __init__(self, problem: str, line: int | None = None) -> None:
        super().__init__(problem)
        self.problem = problem
        self.line = line


class _UniqueKeyLoader(_Loader):  # type: ignore[misc]
    """PyYAML keeps the last of two equal keys without a word; here the second one is refused."""

    def construct_mapping(self, node: Any, deep: bool = False) -> dict[Any, Any]:
        seen: set[str] = set()
        for key, _value in node.value:
            if not isinstance(key, yaml.ScalarNode) or key.value in seen:
                raise yaml.constructor.ConstructorError(None, None, "bad key", key.start_mark)
            seen.add(key.value)
        mapping: dict[Any, Any] = super().construct_mapping(node, deep=deep)
        return mapping


def load_strict_yaml(text: str, *, max_values: int) -> Any:
    """Return the one document of `text`, made of at most `max_values` values.

    Raises StrictYamlError. YAML aliases can make a short text expand without end, hence the limit.
    """
    try:
        value = yaml.load(text, Loader=_UniqueKeyLoader)  # noqa: S506 (a SafeLoader)
    except yaml.MarkedYAMLError as error:
        line = error.problem_mark.line + 1 if error.problem_mark else None
        raise StrictYamlError("not valid YAML, or a key given twice", line) from error
    except (yaml.YAMLError, RecursionError, ValueError, TypeError) as error:
        raise StrictYamlError("not valid YAML") from error
    if not _is_small(value, max_values):
        raise StrictYamlError(f"holds more than {max_values} values")
    return value


def _is_small(value: Any, max_values: int) -> bool:
    pending = [value]
    for _ in range(max_values):
        if not pending:
            return True
        node = pending.pop()
        pending.extend(node.values() if isinstance(node, dict) else node if isinstance(node, list) else ())
    return not pending
