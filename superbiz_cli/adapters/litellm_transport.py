"""An httpx transport that sends exactly one request, and remembers what became of it.

Libraries above may retry, follow redirects or resend with changed messages: here the second
request fails before it reaches the network. What was seen on the wire classifies a failure better
than the exception that a library makes of it.
"""

from __future__ import annotations

import socket
import ssl
from collections.abc import AsyncIterator
from dataclasses import dataclass, field
from enum import StrEnum

import httpx

from superbiz_cli.adapters.http_failures import retry_after_s
from superbiz_cli.adapters.litellm_shapes import Aside, set_aside


class WireFault(StrEnum):
    """What went wrong below HTTP, or was refused by us."""

    REFUSED = "REFUSED"
    UNRESOLVED = "UNRESOLVED"
    TLS = "TLS"
    CONNECT = "CONNECT"
    BROKEN = "BROKEN"
    TIMEOUT = "TIMEOUT"
    OVERSIZE = "OVERSIZE"
    ENCODED = "ENCODED"


@dataclass(slots=True)
class Exchange:
    """The one request as seen on the wire. `address` is "host:port" of our own configuration.

    `aside` is what was taken out of the reply's body before the library read it.
    """

    requests: int = 0
    refused_resends: int = 0
    address: str = ""
    status: int | None = None
    retry_after_s: float | None = None
    fault: WireFault | None = None
    aside: Aside = field(default_factory=Aside)


class ExchangeEnded(httpx.TransportError):
    """Nothing more is sent or read for this call."""


class OneRequestTransport(httpx.AsyncBaseTransport):
    """Sends the first request through `inner`, refuses every other, caps the response.

    `max_response_bytes` counts what comes over the wire; compression is not accepted, because a
    small compressed body could become an unbounded one. `sets_aside` takes out of a chat reply what
    the library above could stumble over (`litellm_shapes`).
    """

    def __init__(
        self, inner: httpx.AsyncBaseTransport, *, max_response_bytes: int, sets_aside: bool = False
    ) -> None:
        self._inner = inner
        self._max_response_bytes = max_response_bytes
        self._sets_aside = sets_aside
        self.exchange = Exchange()

    async def handle_async_request(self, request: httpx.Request) -> httpx.Response:
        """Send `request` if it is the first. Raises ExchangeEnded for all others."""
        exchange = self.exchange
        if exchange.requests:
            exchange.refused_resends += 1
            raise ExchangeEnded("a second request is not sent", request=request)
        exchange.requests = 1
        exchange.address = _address(request.url)
        request.headers["accept-encoding"] = "identity"
        try:
            response = await self._inner.handle_async_request(request)
        except httpx.TransportError as error:
            exchange.fault = _connect_fault(error)
            raise
        exchange.status = response.status_code
        exchange.retry_after_s = retry_after_s(response.headers.get("retry-after"))
        if response.headers.get("content-encoding", "identity").strip().lower() not in ("", "identity"):
            exchange.fault = WireFault.ENCODED
            await response.aclose()
            raise ExchangeEnded("a compressed response is not read", request=request)
        capped = _CappedStream(response.stream, exchange=exchange, limit=self._max_response_bytes)
        stream: httpx.AsyncByteStream = _ReadableReply(capped, exchange) if self._sets_aside else capped
        headers = [pair for pair in response.headers.raw if pair[0].lower() != b"content-length"]
        return httpx.Response(
            response.status_code, headers=headers, stream=stream, extensions=response.extensions
        )

    async def aclose(self) -> None:
        """Close the connection."""
        await self._inner.aclose()


class _CappedStream(httpx.AsyncByteStream):
    def __init__(
        self, inner: httpx.SyncByteStream | httpx.AsyncByteStream, *, exchange: Exchange, limit: int
    ) -> None:
        if not isinstance(inner, httpx.AsyncByteStream):
            raise TypeError("an asynchronous transport yields an asynchronous stream")
        self._inner = inner
        self._exchange = exchange
        self._limit = limit

    async def __aiter__(self) -> AsyncIterator[bytes]:
        seen = 0
        try:
            async for chunk in self._inner:
                seen += len(chunk)
                if seen > self._limit:
                    self._exchange.fault = WireFault.OVERSIZE
                    raise ExchangeEnded("the response is too large")
                yield chunk
        except httpx.TransportError as error:
            self._exchange.fault = self._exchange.fault or _read_fault(error)
            raise

    async def aclose(self) -> None:
        await self._inner.aclose()


class _ReadableReply(httpx.AsyncByteStream):
    """The whole body as one chunk, without what is set aside."""

    def __init__(self, inner: _CappedStream, exchange: Exchange) -> None:
        self._inner = inner
        self._exchange = exchange

    async def __aiter__(self) -> AsyncIterator[bytes]:
        body = b"".join([chunk async for chunk in self._inner])
        body, self._exchange.aside = set_aside(body)
        yield body

    async def aclose(self) -> None:
        await self._inner.aclose()


def _address(url: httpx.URL) -> str:
    port = url.port or (443 if url.scheme == "https" else 80)
    return f"{url.host}:{port}"


def _connect_fault(error: httpx.TransportError) -> WireFault:
    """Name the failure by the exception types in its chain; their texts are not looked at."""
    if not isinstance(error, httpx.ConnectError):
        return _read_fault(error)
    for cause in _chain(error):
        match cause:
            case ConnectionRefusedError():
                return WireFault.REFUSED
            case socket.gaierror():
                return WireFault.UNRESOLVED
            case ssl.SSLError():
                return WireFault.TLS
    return WireFault.CONNECT


def _read_fault(error: httpx.TransportError) -> WireFault:
    return WireFault.TIMEOUT if isinstance(error, httpx.TimeoutException) else WireFault.BROKEN


def _chain(error: BaseException) -> list[BaseException]:
    found: list[BaseException] = []
    todo: list[BaseException | None] = [error]
    while todo:
        current = todo.pop()
        if current is None or current in found:
            continue
        found.append(current)
        todo += [current.__cause__, current.__context__]
        if isinstance(current, BaseExceptionGroup):
            todo += current.exceptions
    return found
