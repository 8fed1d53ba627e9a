"""The secrets that the settings refer to: whatever they look like, no text with one of them leaves.

The other rules of redaction know a secret by its shape or its label. These are known by their value.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Mapping
from typing import Any
from urllib.parse import quote, unquote, urlsplit

from superbiz_cli.harness.tool.redact import Redactor
from superbiz_cli.harness.tool.redact_rules import RULES, Rule, registered_values
from superbiz_cli.settings import Settings

MIN_SECRET_CHARS = 6
"""A shorter value would be found in ordinary words."""


def redactor_for(
    settings: Settings, *, rules: Iterable[Rule] = RULES, environ: Mapping[str, str] = os.environ
) -> Redactor:
    """Return a redactor that knows the secrets of `settings` besides `rules`."""
    secrets = registered_secrets(settings, environ=environ)
    return Redactor([*registered_values(secrets), *rules])


def registered_secrets(settings: Settings, *, environ: Mapping[str, str] = os.environ) -> tuple[str, ...]:
    """Return the values of every variable that a setting names, the longest first.

    Of an address it is the password and the address as a whole. The usual variable of a model's provider
    counts too.
    """
    names = {*_named(settings.model_dump()), *_usual(settings)}
    values = (environ[name] for name in names if environ.get(name))
    found = {secret for value in values for secret in _secrets_in(value)}
    return tuple(sorted(found, key=lambda secret: (-len(secret), secret)))


def _named(value: Any) -> Iterator[str]:
    """Yield the names of variables under keys such as `api_key_env`."""
    match value:
        case dict():
            for key, part in value.items():
                if str(key).endswith("_env") and isinstance(part, str):
                    yield part
                else:
                    yield from _named(part)
        case list() | tuple():
            for part in value:
                yield from _named(part)
        case _:
            return


def _usual(settings: Settings) -> Iterator[str]:
    from superbiz_cli.adapters.litellm_routes import ROUTES

    for route in (settings.model.agent_route, settings.model.guard_route):
        known = ROUTES.get(route.name.partition("/")[0])
        if known is not None and known.key_env is not None:
            yield known.key_env


def _secrets_in(value: str) -> Iterator[str]:
    forms = {value.strip()}
    if "://" in value:
        try:
            password = urlsplit(value).password
        except ValueError:
            password = None
        if password:
            forms |= {password, unquote(password), quote(unquote(password), safe="")}
    yield from (form for form in forms if len(form) >= MIN_SECRET_CHARS)
