"""Refuses secrets that were written where only a reference belongs. Never repeats the secret."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any
from urllib.parse import parse_qsl, urlsplit

from superbiz_cli.errors import ErrorCode, SuperbizError
from superbiz_cli.settings.layers import Layer

_SECRET_KEY = re.compile(
    r"(?:^|_)(?:api_?key|passwd|password|pwd|token|secret|secret_key|access_key|private_key|credentials?)$",
    re.IGNORECASE,
)
_ENV_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]{0,127}")


def refuse_secrets(layer: Layer) -> None:
    """Raise SuperbizError (CREDENTIAL_IN_CONFIG) if the layer holds a literal secret."""
    _search(layer.values, path="", place=layer.origin.place)


def _search(value: Any, *, path: str, place: str) -> None:
    match value:
        case Mapping():
            for key, item in value.items():
                _check_key(str(key), item, path=path, place=place)
                _search(item, path=f"{path}.{key}" if path else str(key), place=place)
        case list() | tuple():
            for number, item in enumerate(value):
                _search(item, path=f"{path}[{number}]", place=place)
        case str():
            _check_address(value, path=path, place=place)
        case _:
            return


def _check_key(key: str, value: Any, *, path: str, place: str) -> None:
    dotted = f"{path}.{key}" if path else key
    if isinstance(value, (str, int)) and _SECRET_KEY.search(key):
        raise _refusal(
            place, dotted, f'put the value into an environment variable and name it: {key}_env = "…"'
        )
    if key.endswith("_env") and isinstance(value, str) and not _ENV_NAME.fullmatch(value):
        raise _refusal(place, dotted, "write the name of an environment variable here, not its value")


_KEY_BESIDE = {"api_base": '"api_key_env"', "uri": '"token_env"'}


def _check_address(value: str, *, path: str, place: str) -> None:
    if "://" not in value:
        return
    try:
        parts = urlsplit(value)
        has_password = parts.password is not None
    except ValueError:
        return
    in_query = any(_SECRET_KEY.search(name) for name, _ in parse_qsl(parts.query, keep_blank_values=True))
    if has_password or in_query:
        key = path.rsplit(".", 1)[-1]
        instead = _KEY_BESIDE.get(key, f'"{key}_env" or "password_env"')
        raise _refusal(place, path, f"take the password out of the address: use {instead} for it")


def _refusal(place: str, dotted: str, remedy: str) -> SuperbizError:
    return SuperbizError(
        ErrorCode.CREDENTIAL_IN_CONFIG, f"{place}: '{dotted}' holds a secret; it is not used", hint=remedy
    )
