"""From the model port to litellm's arguments: only what the route is known to understand is sent."""

from __future__ import annotations

from typing import Any

from superbiz_cli.adapters.litellm_routes import ROUTES, ResolvedRoute
from superbiz_cli.harness.contract.model import Message, ModelRequest, ToolSpec


def request_arguments(
    litellm: Any,
    route: ResolvedRoute,
    request: ModelRequest,
    *,
    temperature: float | None,
    max_output_tokens: int | None,
) -> dict[str, Any]:
    """Return the keyword arguments of `litellm.acompletion`, without client and timeout.

    Streaming stays off (two streamed calls at one index merge) and so does everything that would
    send a second request.
    """
    arguments: dict[str, Any] = {
        "model": f"{route.provider}/{route.model}",
        "messages": [_message(message) for message in request.messages],
        "api_base": route.api_base,
        "api_key": route.api_key,
        "stream": False,
        "num_retries": 0,
        "max_retries": 0,
        "fallbacks": None,
        "drop_params": False,
    }
    optional: dict[str, Any] = {
        "temperature": temperature,
        "max_tokens": max_output_tokens,
        "tools": [_tool(spec) for spec in request.tools] or None,
        "parallel_tool_calls": False if request.tools and _is_own_endpoint(route) else None,
    }
    understood = (
        litellm.get_supported_openai_params(model=route.model, custom_llm_provider=route.provider) or ()
    )
    wanted = {key: value for key, value in optional.items() if value is not None}
    return arguments | {key: value for key, value in wanted.items() if key in understood or key == "tools"}


def model_registration(route: ResolvedRoute) -> dict[str, Any]:
    """Return the `register_model` entry that keeps litellm from asking an Ollama server about a model."""
    if route.provider != "ollama_chat":
        return {}
    entry = {
        "litellm_provider": route.provider,
        "mode": "chat",
        "max_tokens": 8192,
        "max_input_tokens": 131_072,
        "supports_function_calling": True,
        "input_cost_per_token": 0.0,
        "output_cost_per_token": 0.0,
    }
    return {f"{route.provider}/{route.model}": entry}


def _is_own_endpoint(route: ResolvedRoute) -> bool:
    """Whether the provider itself answers: only then are its less common parameters safe to send."""
    return route.api_base == ROUTES[route.provider].api_base


def _message(message: Message) -> dict[str, Any]:
    result: dict[str, Any] = {"role": message.role, "content": message.content}
    if message.tool_calls:
        result["content"] = message.content or None
        result["tool_calls"] = [
            {"id": call.id, "type": "function", "function": {"name": call.name, "arguments": call.arguments}}
            for call in message.tool_calls
        ]
    if message.tool_call_id is not None:
        result["tool_call_id"] = message.tool_call_id
    return result


def _tool(spec: ToolSpec) -> dict[str, Any]:
    function = {"name": spec.name, "description": spec.description, "parameters": dict(spec.parameters)}
    return {"type": "function", "function": function}
