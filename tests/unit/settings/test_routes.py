"""Which model serves which role, and that one provider's key never goes to another."""

from __future__ import annotations

from pathlib import Path

import pytest

from superbiz_cli.settings import ModelRoute
from tests.unit.settings.loading import loaded

AGENT = "[model.agent]\nname = 'openai/big'\napi_base = 'http://one'\napi_key_env = 'ONE_KEY'\n"


def routes(tmp_path: Path, text: str, model: str | None = None) -> tuple[ModelRoute, ModelRoute]:
    model_settings = loaded(tmp_path, project=text, model=model).settings.model
    return model_settings.agent_route, model_settings.guard_route


def test_the_guard_follows_the_agent_when_it_is_not_configured(tmp_path: Path) -> None:
    agent, guard = routes(tmp_path, AGENT)
    assert guard == agent


def test_a_smaller_model_of_the_same_provider_keeps_address_and_key(tmp_path: Path) -> None:
    _, guard = routes(tmp_path, AGENT + "[model.guard]\nname = 'openai/small'\n")
    assert (guard.name, guard.api_base, guard.api_key_env) == ("openai/small", "http://one", "ONE_KEY")


def test_another_provider_gets_neither_address_nor_key(tmp_path: Path) -> None:
    _, guard = routes(tmp_path, AGENT + "[model.guard]\nname = 'anthropic/small'\n")
    assert (guard.api_base, guard.api_key_env) == (None, None)


@pytest.mark.parametrize("model", ["offline/playbook", "scripted:run.json", "anthropic/x"])
def test_the_model_of_a_flag_serves_both_roles_without_the_address_of_another_provider(
    tmp_path: Path, model: str
) -> None:
    configured = AGENT + "[model.guard]\nname = 'openai/small'\napi_base = 'http://two'\n"
    agent, guard = routes(tmp_path, configured, model=model)
    assert agent == guard
    assert (agent.name, agent.api_base, agent.api_key_env) == (model, None, None)


def test_the_model_of_a_flag_keeps_the_address_of_its_own_provider(tmp_path: Path) -> None:
    agent, guard = routes(tmp_path, AGENT, model="openai/other")
    assert agent == guard
    assert (agent.name, agent.api_base, agent.api_key_env) == ("openai/other", "http://one", "ONE_KEY")


@pytest.mark.parametrize("name", ["", "name = 'offline/playbook'\n"])
def test_an_address_without_a_model_is_for_the_model_of_the_flag(tmp_path: Path, name: str) -> None:
    configured = f"[model.agent]\n{name}api_base = 'http://one'\napi_key_env = 'ONE_KEY'\n"
    agent, _ = routes(tmp_path, configured, model="openai/x")
    assert (agent.name, agent.api_base, agent.api_key_env) == ("openai/x", "http://one", "ONE_KEY")


def test_without_configuration_the_built_in_model_is_used(tmp_path: Path) -> None:
    agent, guard = routes(tmp_path, "")
    assert agent.is_offline
    assert guard.is_offline
