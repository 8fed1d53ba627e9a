"""A model route: which model, at which address, with the key of which environment variable."""

from __future__ import annotations

from dataclasses import dataclass

OFFLINE_ROUTE = "offline/playbook"
SCRIPTED_PREFIX = "scripted:"


@dataclass(frozen=True, slots=True)
class ModelRoute:
    """Where the calls of one role go. `timeout_s` bounds one attempt, in seconds."""

    name: str
    api_base: str | None
    api_key_env: str | None
    timeout_s: float
    temperature: float | None
    max_output_tokens: int

    @property
    def is_offline(self) -> bool:
        """Whether this is the model that is built in and uses no network."""
        return self.name == OFFLINE_ROUTE


def provider_of(name: str) -> str:
    """Return the provider of a route name: "openai" for "openai/gpt-5"."""
    if name.startswith(SCRIPTED_PREFIX):
        return SCRIPTED_PREFIX
    return name.split("/", 1)[0].lower()
