"""From a model route to a chat model."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from contextlib import ExitStack
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

from superbiz_cli import assets
from superbiz_cli.errors import ErrorCode, SuperbizError
from superbiz_cli.harness.application.parts import Prompts
from superbiz_cli.harness.contract.model import CancelSignal, ChatModel, ModelRole
from superbiz_cli.settings import SCRIPTED_PREFIX, ModelRoute, Settings

if TYPE_CHECKING:
    from superbiz_cli.adapters.litellm_runtime import LitellmRuntime

_PROMPT_OF_ROLE = {
    ModelRole.AGENT: "diagnosis_agent",
    ModelRole.ROUTER: "intent_router",
    ModelRole.JUDGE: "semantic_guard",
    ModelRole.REPAIR: "evidence_repair",
    ModelRole.ANSWER: "knowledge_answer",
}


def open_models(
    settings: Settings, stack: ExitStack, *, environ: Mapping[str, str] = os.environ
) -> tuple[ChatModel, ChatModel]:
    """Return the agent's model and the guards', one object if both take the same route.

    Raises SuperbizError for a script that cannot be read, or a route that cannot work.
    """
    agent_route, guard_route = settings.model.agent_route, settings.model.guard_route
    agent = open_model(agent_route, stack, environ=environ)
    guard = agent if guard_route == agent_route else open_model(guard_route, stack, environ=environ)
    return agent, guard


def open_model(route: ModelRoute, stack: ExitStack, *, environ: Mapping[str, str] = os.environ) -> ChatModel:
    """Return the chat model behind `route`; what it opens is closed by `stack`."""
    if route.is_offline:
        from superbiz_cli.adapters.offline_model import OfflineModel

        return OfflineModel()
    if route.name.startswith(SCRIPTED_PREFIX):
        return _scripted(route.name.removeprefix(SCRIPTED_PREFIX))
    from superbiz_cli.adapters.litellm_model import LitellmModel

    model = LitellmModel(
        route.name,
        runtime=_shared_runtime(),
        api_base=route.api_base,
        api_key=environ.get(route.api_key_env) if route.api_key_env else None,
        api_key_env=route.api_key_env,
        temperature=route.temperature,
        max_output_tokens=route.max_output_tokens,
        environ=environ,
    )
    if model.problem is not None:
        raise SuperbizError(
            ErrorCode.CONFIG_INVALID, f"The model {route.name} cannot be used.", hint=model.problem
        )
    stack.callback(model.close)
    model.warm_up()
    return model


def wait_until_loaded(models: Iterable[ChatModel], *, timeout_s: float, cancel: CancelSignal) -> None:
    """Let a slow library finish loading, so that it does not eat the time of the first question."""
    for model in models:
        load = getattr(model, "wait_until_loaded", None)
        if load is not None:
            load(timeout_s=timeout_s, cancel=cancel)


@cache
def _shared_runtime() -> LitellmRuntime:
    from superbiz_cli.adapters.litellm_runtime import LitellmRuntime

    return LitellmRuntime()


def load_prompts() -> Prompts:
    """Return the prompt of each role with its SHA-256."""
    import hashlib

    texts = {role: assets.prompt(name) for role, name in _PROMPT_OF_ROLE.items()}
    digests = {role: hashlib.sha256(text.encode()).hexdigest() for role, text in texts.items()}
    return Prompts(texts, digests)


def _scripted(file_name: str) -> ChatModel:
    from superbiz_cli.adapters.script_macros import ScriptError
    from superbiz_cli.adapters.scripted_model import ScriptedModel

    try:
        return ScriptedModel.from_file(Path(file_name))
    except ScriptError as error:
        raise SuperbizError(
            ErrorCode.CONFIG_INVALID, str(error), hint="docs/scripted-model.md describes the format"
        ) from error
