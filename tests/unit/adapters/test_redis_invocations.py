from __future__ import annotations

import socket
import traceback
import uuid
from collections.abc import Callable, Iterator

import pytest
import redis

from superbiz_cli.adapters.redis_invocations import RedisInvocationStore
from superbiz_cli.harness.tool.invocation import StoreError, StoreFault
from tests.support.fake_redis import HANG_UP, SILENCE, FakeRedis, fake_redis
from tests.support.fakes import ready_record
from tests.support.services import redis_url

READY = ready_record("run-1", "ev-1")
OUT_OF_MEMORY = b"-OOM command not allowed when used memory > 'maxmemory'.\r\n"
TIMEOUT_S = 0.05


def open_at(url: str) -> RedisInvocationStore:
    return RedisInvocationStore.open(url, timeout_s=TIMEOUT_S)


@pytest.fixture
def closed_port() -> int:
    with socket.create_server(("127.0.0.1", 0)) as server:
        port: int = server.getsockname()[1]
        return port


@pytest.mark.parametrize(
    "url", ["", "nonsense", "http://127.0.0.1:6379", "redis://[::1", "redis://127.0.0.1:x"]
)
def test_a_url_that_is_none_is_an_unavailable_store(url: str) -> None:
    with pytest.raises(StoreError) as caught:
        open_at(url)
    assert caught.value.fault is StoreFault.UNAVAILABLE


def test_nobody_listening_is_an_unavailable_store(closed_port: int) -> None:
    with pytest.raises(StoreError) as caught:
        open_at(f"redis://127.0.0.1:{closed_port}/0")
    assert caught.value.fault is StoreFault.UNAVAILABLE


@pytest.mark.parametrize(
    "answer",
    [
        SILENCE,
        HANG_UP,
        b"-NOAUTH Authentication required.\r\n",
        b"HTTP/1.1 400 Bad Request\r\n\r\n",
        b"\xff\n",
    ],
)
def test_a_server_that_is_no_willing_redis_is_an_unavailable_store(answer: bytes) -> None:
    with fake_redis(PING=answer) as server, pytest.raises(StoreError) as caught:
        open_at(server.url)
    assert caught.value.fault is StoreFault.UNAVAILABLE


@pytest.mark.parametrize("answer", [SILENCE, HANG_UP, OUT_OF_MEMORY, b"-READONLY You can't write\r\n"])
def test_a_command_that_fails_is_sent_once_and_reported_without_the_librarys_text(answer: bytes) -> None:
    with fake_redis(SET=answer, GET=answer, EVAL=answer) as server:
        store = open_at(server.url)
        acts: list[Callable[[], object]] = [
            lambda: store.begin(READY.as_begun()),
            lambda: store.complete(READY),
            lambda: store.find("run-1", "ev-1"),
        ]
        for act in acts:
            with pytest.raises(StoreError) as caught:
                act()
            assert caught.value.fault is StoreFault.UNAVAILABLE
            assert caught.value.__suppress_context__
            shown = "".join(traceback.format_exception(caught.value))
            assert "OOM" not in shown
            assert "hunter2" not in shown
        store.close()
        assert [name for name in server.commands if name in {"SET", "GET", "EVAL"}] == ["SET", "EVAL", "GET"]


def test_a_connection_that_was_lost_between_two_calls_is_made_anew() -> None:
    with fake_redis(GET=b"$-1\r\n") as server:
        store = open_at(server.url)
        assert store.find("run-1", "ev-1") is None
        hang_up(server)
        assert store.find("run-1", "ev-1") is None
        store.close()


def hang_up(server: FakeRedis) -> None:
    for connection in server._connections:
        connection.shutdown(socket.SHUT_RDWR)


@pytest.fixture
def prefix() -> Iterator[str]:
    prefix = f"superbiz-test-{uuid.uuid4().hex}"
    yield prefix
    with redis.Redis.from_url(redis_url()) as client:
        for key in client.scan_iter(f"{prefix}:*"):
            client.delete(key)


@pytest.mark.redis
def test_a_record_lies_under_prefix_run_and_call_with_the_ttl_of_begin(prefix: str) -> None:
    store = RedisInvocationStore.open(redis_url(), key_prefix=prefix, ttl_s=120)
    store.begin(READY.as_begun())
    with redis.Redis.from_url(redis_url()) as client:
        assert client.keys(f"{prefix}:*") == [f"{prefix}:run-1:ev-1".encode()]
        left_ms = client.pttl(f"{prefix}:run-1:ev-1")
    store.close()
    assert isinstance(left_ms, int)
    assert 60_000 < left_ms <= 120_000


@pytest.mark.redis
def test_something_else_under_the_key_is_a_corrupt_record(prefix: str) -> None:
    store = RedisInvocationStore.open(redis_url(), key_prefix=prefix)
    with redis.Redis.from_url(redis_url()) as client:
        client.lpush(f"{prefix}:run-1:ev-1", "a list")
    with pytest.raises(StoreError) as found:
        store.find("run-1", "ev-1")
    with pytest.raises(StoreError) as completed:
        store.complete(READY)
    store.close()
    assert (found.value.fault, completed.value.fault) == (StoreFault.CORRUPT, StoreFault.CORRUPT)
