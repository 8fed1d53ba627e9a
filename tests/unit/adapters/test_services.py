"""The test services themselves: an absent one is named, and never passes for a tested one in CI."""

from __future__ import annotations

import socket
from collections.abc import Callable

import pytest

from tests.support import services


@pytest.fixture
def nobody(monkeypatch: pytest.MonkeyPatch) -> int:
    with socket.create_server(("127.0.0.1", 0)) as server:
        port: int = server.getsockname()[1]
    monkeypatch.setattr(services, "REDIS_URL", f"redis://127.0.0.1:{port}/0")
    monkeypatch.setattr(services, "MARIADB_URL", f"mysql+pymysql://root@127.0.0.1:{port}")
    return port


@pytest.mark.parametrize("ask", [services.redis_url, services.mariadb_url])
def test_an_absent_service_skips_its_tests_and_says_where_it_was_looked_for(
    ask: Callable[[], str], nobody: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("CI", raising=False)
    with pytest.raises(pytest.skip.Exception, match=f"127.0.0.1:{nobody}"):
        ask()


@pytest.mark.parametrize("ask", [services.redis_url, services.mariadb_url])
def test_an_absent_service_fails_its_tests_in_ci(
    ask: Callable[[], str], nobody: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("CI", "true")
    with pytest.raises(pytest.fail.Exception, match="CI=true"):
        ask()


@pytest.mark.mariadb
def test_a_mariadb_that_greets_is_there() -> None:
    assert services.mariadb_url() == services.MARIADB_URL
