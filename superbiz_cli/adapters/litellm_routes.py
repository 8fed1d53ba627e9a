"""Which litellm routes may be used, what each needs, and how its HTTP client is handed over.

Only routes are listed whose requests were seen, on a counting server, to go through the client that
we pass in. A route that opens a client of its own could retry, redirect or use a proxy unseen, so
it is refused before anything is sent.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import Enum


class ClientKind(Enum):
    """How litellm takes our HTTP client for a route."""

    OPENAI_SDK = "openai sdk"
    HTTP = "http"


@dataclass(frozen=True, slots=True)
class Route:
    """One provider prefix. `key_env` is its usual variable; `api_base` a default that we know.

    `needs_key` is False for servers that people run themselves.
    """

    client: ClientKind
    key_env: str | None = None
    api_base: str | None = None
    needs_key: bool = True


_SDK, _HTTP = ClientKind.OPENAI_SDK, ClientKind.HTTP

ROUTES: Mapping[str, Route] = {
    "openai": Route(_SDK, "OPENAI_API_KEY", "https://api.openai.com/v1"),
    "anthropic": Route(_HTTP, "ANTHROPIC_API_KEY", "https://api.anthropic.com"),
    "ollama_chat": Route(_HTTP, None, "http://localhost:11434", needs_key=False),
    "hosted_vllm": Route(_HTTP, None, "http://localhost:8000/v1", needs_key=False),
    "lm_studio": Route(_SDK, None, "http://localhost:1234/v1", needs_key=False),
    "llamafile": Route(_SDK, None, "http://localhost:8080/v1", needs_key=False),
    "litellm_proxy": Route(_SDK, "LITELLM_PROXY_API_KEY", "http://localhost:4000", needs_key=False),
    "dashscope": Route(_SDK, "DASHSCOPE_API_KEY", "https://dashscope.aliyuncs.com/compatible-mode/v1"),
    "moonshot": Route(_SDK, "MOONSHOT_API_KEY", "https://api.moonshot.cn/v1"),
    "zai": Route(_SDK, "ZAI_API_KEY", "https://api.z.ai/api/paas/v4"),
    "volcengine": Route(_SDK, "VOLCENGINE_API_KEY", "https://ark.cn-beijing.volces.com/api/v3"),
    "deepseek": Route(_HTTP, "DEEPSEEK_API_KEY", "https://api.deepseek.com/beta"),
    "openrouter": Route(_HTTP, "OPENROUTER_API_KEY", "https://openrouter.ai/api/v1"),
    "mistral": Route(_HTTP, "MISTRAL_API_KEY", "https://api.mistral.ai/v1"),
    "together_ai": Route(_HTTP, "TOGETHERAI_API_KEY", "https://api.together.xyz/v1"),
    "xai": Route(_HTTP, "XAI_API_KEY", "https://api.x.ai/v1"),
    "fireworks_ai": Route(_HTTP, "FIREWORKS_AI_API_KEY", "https://api.fireworks.ai/inference/v1"),
    "minimax": Route(_HTTP, "MINIMAX_API_KEY", "https://api.minimax.io/v1"),
}


@dataclass(frozen=True, slots=True)
class RouteProblem:
    """Why a route cannot be used, in our own words, with the remedy."""

    hint: str


@dataclass(frozen=True, slots=True)
class ResolvedRoute:
    """A usable route: provider prefix, model name, endpoint and key (a placeholder if none is needed)."""

    provider: str
    model: str
    client: ClientKind
    api_base: str
    api_key: str


KEYLESS = "no-key"


def resolve_route(
    route: str,
    *,
    api_base: str | None,
    api_key: str | None,
    api_key_env: str | None,
    environ: Mapping[str, str],
) -> ResolvedRoute | RouteProblem:
    """Decide endpoint and key of `route` ("provider/model") without touching the network.

    The key is `api_key`, else the provider's usual variable, which is read only for the provider's
    own endpoint: a key must not travel to another `api_base` than the one it belongs to.
    """
    provider, slash, model = route.partition("/")
    if not slash or not model:
        return RouteProblem(f'write the model as "provider/model", for example "openai/gpt-5", not "{route}"')
    known = ROUTES.get(provider)
    if known is None:
        names = ", ".join(sorted(ROUTES))
        return RouteProblem(
            f'the route "{provider}/" is not supported; for an OpenAI-compatible endpoint use '
            f'"openai/{model}" with api_base, else one of: {names}'
        )
    own_endpoint = api_base is None
    key = api_key or (environ.get(known.key_env) if own_endpoint and known.key_env else None)
    if not key and (api_key_env or (own_endpoint and known.needs_key)):
        return RouteProblem(f"set {api_key_env or known.key_env}")
    return ResolvedRoute(provider, model, known.client, api_base or known.api_base or "", key or KEYLESS)
