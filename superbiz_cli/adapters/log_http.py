"""One bounded, interruptible HTTP request to a log store, and an even sample of what it holds."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import Any, Protocol

import httpx

from superbiz_cli.adapters.log_files.source import LogSource
from superbiz_cli.harness.core.run import Run
from superbiz_cli.harness.tool.logs.contract import LogEvent, TimeWindow

MAX_ANSWER_BYTES = 16 << 20
MAX_FETCHED = 200
SLICES = 10
_SLICE_LIMITS = (MAX_FETCHED // SLICES, 5, 1)


class LogStoreFailed(Exception):
    """A log store could not answer. `reason` is our own words; never a text of the store or of a library.

    `code` is the store's own number for the failure, None where it gives none.
    """

    def __init__(self, reason: str, *, code: int | None = None) -> None:
        super().__init__(reason)
        self.reason = reason
        self.code = code


class AnswerTooLarge(LogStoreFailed):
    """The answer has more than MAX_ANSWER_BYTES; fewer events may fit."""

    def __init__(self) -> None:
        super().__init__("the answer is too large")


@dataclass(frozen=True, slots=True)
class HttpRequest:
    """One request below the source's endpoint."""

    method: str
    path: str
    params: Mapping[str, str]
    body: str | None = None
    content_type: str = "application/json"


class LogStore:
    """Sends requests of one source. Each one ends within its time limit, a cancel, or the deadline.

    `scheme` is the word before the source's token in the Authorization header; `code_header` names the
    header in which the store numbers its failures.
    """

    def __init__(
        self, source: LogSource, run: Run, *, scheme: str = "Bearer", code_header: str | None = None
    ) -> None:
        self._source = source
        self._run = run
        self._scheme = scheme
        self._code_header = code_header
        self._tls = httpx.create_ssl_context()  # reads all certificates, so it serves all requests

    def ask(self, request: HttpRequest) -> Any:
        """Return the JSON value of the answer. Raises LogStoreFailed, RunAborted."""
        self._run.check_active()
        try:
            status, code, body = asyncio.run(self._send(request))
        except asyncio.CancelledError:
            self._run.check_active()
            raise LogStoreFailed("the request was interrupted") from None
        self._run.check_active()
        if status != httpx.codes.OK:
            raise LogStoreFailed(_sentence(status), code=code)
        if code is not None:
            raise LogStoreFailed("the store failed while it answered", code=code)
        try:
            return json.loads(body)
        except (ValueError, RecursionError):
            raise LogStoreFailed("the answer is not the JSON that was expected") from None

    async def _send(self, request: HttpRequest) -> tuple[int, int | None, bytes]:
        loop = asyncio.get_running_loop()
        task = asyncio.ensure_future(self._exchange(request))

        def cancel() -> None:
            loop.call_soon_threadsafe(task.cancel)

        unregister = self._run.cancellation.on_cancel(cancel)
        limit_s = min(self._source.timeout_s, max(0.05, self._run.remaining_s()))
        try:
            return await asyncio.wait_for(task, limit_s)
        except TimeoutError:
            raise LogStoreFailed(f"no answer within {limit_s:.0f} s") from None
        except httpx.HTTPError:
            raise LogStoreFailed("cannot be reached") from None
        except (httpx.InvalidURL, UnicodeError, ValueError):
            raise LogStoreFailed("the configured address is not usable") from None
        finally:
            unregister()

    async def _exchange(self, request: HttpRequest) -> tuple[int, int | None, bytes]:
        headers = {"Content-Type": request.content_type, "Accept": "application/json"}
        auth = None
        if self._source.token is not None:
            headers["Authorization"] = f"{self._scheme} {self._source.token}"
        elif self._source.username is not None:
            auth = httpx.BasicAuth(self._source.username, self._source.password or "")
        endpoint = httpx.URL(self._source.endpoint or "")
        path = endpoint.raw_path.partition(b"?")[0].rstrip(b"/") + request.path.encode()
        url, params = endpoint.copy_with(raw_path=path), dict(endpoint.params) | dict(request.params)
        content = None if request.body is None else request.body.encode()
        async with (
            httpx.AsyncClient(
                timeout=self._source.timeout_s, auth=auth, verify=self._tls, follow_redirects=False
            ) as client,
            client.stream(request.method, url, params=params, content=content, headers=headers) as response,
        ):
            body = bytearray()
            async for piece in response.aiter_bytes():
                body += piece
                if len(body) > MAX_ANSWER_BYTES:
                    raise AnswerTooLarge
            code = response.headers.get(self._code_header or "", "")
            return response.status_code, int(code) if code.isdecimal() else None, bytes(body)


def _sentence(status: int) -> str:
    match status:
        case 400:
            return "the store did not accept the query (400)"
        case 401 | 403:
            return f"the store refused the credentials ({status})"
        case 404:
            return "the store knows no such index, table or path (404)"
        case 408:
            return "the search took longer than the store allows (408)"
        case 429:
            return "the store limits the rate of requests (429)"
        case _ if status >= 500:
            return f"the store failed ({status})"
        case _:
            return f"the store answered unexpectedly ({status})"


class Fetch(Protocol):
    """Fetches a part of the matching events."""

    def __call__(self, window: TimeWindow, limit: int, *, newest_first: bool = False) -> Sequence[LogEvent]:
        """Return the first, or the newest, <= `limit` events of a window in time order."""
        ...


def fetch_evenly(window: TimeWindow, total: int, fetch: Fetch) -> list[LogEvent]:
    """Return all events of a window if they are few, else the first ones of each tenth and the newest of all.

    So the first and the newest event are among them: when a trouble began, and whether it goes on. Of events
    so large that their answer is refused there are fewer. Raises LogStoreFailed.
    """
    if total <= MAX_FETCHED:
        with suppress(AnswerTooLarge):
            return list(fetch(window, MAX_FETCHED)) if total else []
    for limit in _SLICE_LIMITS:
        with suppress(AnswerTooLarge):
            return _fetch_slices(window, limit, fetch)
    raise AnswerTooLarge


def _fetch_slices(window: TimeWindow, limit: int, fetch: Fetch) -> list[LogEvent]:
    length = (window.end_us - window.start_us) // SLICES + 1
    events: list[LogEvent] = []
    for start_us in range(window.start_us, window.end_us + 1, length):
        part = TimeWindow(start_us, min(window.end_us, start_us + length - 1))
        events += fetch(part, limit)
    newest = fetch(window, limit, newest_first=True)
    known = {(event.at_us, event.text) for event in events}
    return events + [event for event in newest if (event.at_us, event.text) not in known]
