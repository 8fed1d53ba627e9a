"""Canonical invocations in Redis: one string a record, with the TTL that `begin` gave it.

The transition is a compare-and-set in Lua (Redis >= 6 for KEEPTTL): the stored bytes must be those
of the PROJECTING record, and are replaced without touching the remaining TTL.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import redis
from redis.backoff import NoBackoff
from redis.retry import Retry

from superbiz_cli.harness.contract.status import InvocationStatus
from superbiz_cli.harness.tool.invocation import CanonicalInvocation, StoreError, StoreFault
from superbiz_cli.harness.tool.record_codec import decode_record, encode_record, is_well_formed_key

DEFAULT_PREFIX = "superbiz:invocation"

_REPLACED, _DIFFERENT, _ABSENT = 1, 0, -1
_COMPARE_AND_SET = """
local current = redis.call('GET', KEYS[1])
if not current then return -1 end
if current ~= ARGV[1] then return 0 end
redis.call('SET', KEYS[1], ARGV[2], 'KEEPTTL')
return 1
"""


class RedisInvocationStore:
    """An `InvocationStore` under `prefix:run_id:tool_call_id`."""

    def __init__(self, client: redis.Redis, *, key_prefix: str, ttl_s: int, max_record_bytes: int) -> None:
        self._client = client
        self._key_prefix = key_prefix
        self._ttl_ms = ttl_s * 1000
        self._max_record_bytes = max_record_bytes

    @classmethod
    def open(
        cls,
        url: str,
        *,
        key_prefix: str = DEFAULT_PREFIX,
        ttl_s: int = 7200,
        max_record_bytes: int = 1_048_576,
        timeout_s: float = 0.5,
    ) -> RedisInvocationStore:
        """Connect to the Redis at `url` and see that it answers; `timeout_s` bounds each wait for it.

        Raises StoreError(UNAVAILABLE), also for a URL that is none. Nothing is retried: a SET NX
        that is sent twice would find its own record and call it a duplicate.
        """
        with _translated():
            client = redis.Redis.from_url(
                url,
                socket_timeout=timeout_s,
                socket_connect_timeout=timeout_s,
                retry=Retry(NoBackoff(), 0),
                protocol=2,  # no handshake of many steps, each of which could wait
                driver_info=None,
            )
        store = cls(client, key_prefix=key_prefix, ttl_s=ttl_s, max_record_bytes=max_record_bytes)
        try:
            with _translated():
                client.ping()
        except StoreError:
            store.close()
            raise
        return store

    def begin(self, record: CanonicalInvocation) -> None:
        """Create a PROJECTING record; see `InvocationStore.begin`."""
        if record.status is not InvocationStatus.PROJECTING:
            raise StoreError(StoreFault.ILLEGAL_TRANSITION)
        encoded = self._encode(record)
        with _translated():
            is_new = self._client.set(self._key(record), encoded, nx=True, px=self._ttl_ms)
        if not is_new:
            raise StoreError(StoreFault.DUPLICATE)

    def complete(self, record: CanonicalInvocation) -> None:
        """Replace the PROJECTING record of the same key; see `InvocationStore.complete`."""
        if record.status is InvocationStatus.PROJECTING:
            raise StoreError(StoreFault.ILLEGAL_TRANSITION)
        begun, completed = self._encode(record.as_begun()), self._encode(record)
        with _translated():
            outcome: Any = self._client.eval(_COMPARE_AND_SET, 1, self._key(record), begun, completed)
        if outcome == _ABSENT:
            raise StoreError(StoreFault.ABSENT)
        if outcome == _DIFFERENT:
            self.find(record.run_id, record.tool_call_id)  # raises CORRUPT if that is what it is
            raise StoreError(StoreFault.ILLEGAL_TRANSITION)

    def find(self, run_id: str, tool_call_id: str) -> CanonicalInvocation | None:
        """Return the record of this exact key; see `InvocationStore.find`."""
        if not is_well_formed_key(run_id, tool_call_id):
            return None
        with _translated():
            encoded: Any = self._client.get(f"{self._key_prefix}:{run_id}:{tool_call_id}")
        return None if encoded is None else decode_record(encoded, max_bytes=self._max_record_bytes)

    def close(self) -> None:
        """Close the connections."""
        with _translated():
            self._client.close()

    def _encode(self, record: CanonicalInvocation) -> bytes:
        return encode_record(record, max_bytes=self._max_record_bytes)

    def _key(self, record: CanonicalInvocation) -> str:
        if not is_well_formed_key(record.run_id, record.tool_call_id):
            raise StoreError(StoreFault.ILLEGAL_TRANSITION)
        return f"{self._key_prefix}:{record.run_id}:{record.tool_call_id}"


@contextmanager
def _translated() -> Iterator[None]:
    """Let no exception of the library out: its text may hold the URL, and with it a password."""
    try:
        yield
    except redis.ResponseError as error:
        is_no_string = "WRONGTYPE" in str(error)  # https://redis.io/docs/latest/develop/data-types/
        raise StoreError(StoreFault.CORRUPT if is_no_string else StoreFault.UNAVAILABLE) from None
    except (redis.RedisError, OSError, ValueError):
        raise StoreError(StoreFault.UNAVAILABLE) from None
