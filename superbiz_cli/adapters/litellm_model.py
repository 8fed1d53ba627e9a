"""Every hosted or local model through litellm: one physical request a call, cancellable at once.

litellm runs on the event loop of `litellm_runtime`. The caller's thread waits for a future; a cancel
wakes it within milliseconds, and the loop closes the connection behind it.
"""

from __future__ import annotations

import concurrent.futures
import os
import ssl
import time
from collections.abc import Coroutine, Mapping
from typing import Any

import httpx

from superbiz_cli.adapters.litellm_replies import classify, read_reply
from superbiz_cli.adapters.litellm_request import model_registration, request_arguments
from superbiz_cli.adapters.litellm_routes import ClientKind, ResolvedRoute, RouteProblem, resolve_route
from superbiz_cli.adapters.litellm_runtime import LitellmRuntime
from superbiz_cli.adapters.litellm_transport import OneRequestTransport
from superbiz_cli.harness.contract.model import (
    CancelSignal,
    ModelReply,
    ModelRequest,
    ModelUnavailable,
    RetryFailure,
)

MAX_RESPONSE_BYTES = 1_048_576


class LitellmModel:
    """A chat model behind a litellm route. Implements `contract.model.ChatModel`.

    `api_base` is the endpoint (None: the provider's own), `api_key` the key itself; `api_key_env` is
    the name that the hint mentions when the key is missing. `proxy` is a proxy URL: the proxy
    variables of the environment are ignored, because they could lead prompts elsewhere unseen.
    Models of one process share one `runtime`.
    """

    def __init__(
        self,
        route: str,
        *,
        api_base: str | None = None,
        api_key: str | None = None,
        api_key_env: str | None = None,
        temperature: float | None = None,
        max_output_tokens: int | None = None,
        max_response_bytes: int = MAX_RESPONSE_BYTES,
        proxy: str | None = None,
        environ: Mapping[str, str] = os.environ,
        runtime: LitellmRuntime | None = None,
    ) -> None:
        self._route = route
        self._resolved = resolve_route(
            route, api_base=api_base, api_key=api_key, api_key_env=api_key_env, environ=environ
        )
        self._temperature = temperature
        self._max_output_tokens = max_output_tokens
        self._max_response_bytes = max_response_bytes
        self._proxy = proxy
        self._runtime = runtime or LitellmRuntime()
        self._tls: ssl.SSLContext | None = None
        self._is_registered = False

    @property
    def name(self) -> str:
        """The configured route."""
        return self._route

    @property
    def problem(self) -> str | None:
        """What is wrong with the configuration (a missing key, an unknown route), or None."""
        return self._resolved.hint if isinstance(self._resolved, RouteProblem) else None

    def warm_up(self) -> None:
        """Start the slow import in the background. Returns at once; safe to call at any time."""
        if self.problem is None:
            self._runtime.start()

    def wait_until_loaded(self, *, timeout_s: float, cancel: CancelSignal) -> bool:
        """Wait for the import, so that it does not count against the limit of the first request.

        Returns False, without a word about why, if it is not loaded in time or the Run was cancelled.
        """
        return self.problem is None and self._runtime.wait(timeout_s=timeout_s, cancel=cancel) is not None

    def complete(self, request: ModelRequest, *, timeout_s: float, cancel: CancelSignal) -> ModelReply:
        """Send one request and return its reply; see the port for what is raised.

        `timeout_s` covers everything: a pending import, connecting, waiting and reading.
        """
        give_up_at = time.monotonic() + timeout_s
        route = self._usable_route()
        if cancel.is_cancelled:
            raise ModelUnavailable(RetryFailure.CANCELLED)
        litellm = self._runtime.wait(timeout_s=timeout_s, cancel=cancel)
        if litellm is None:
            raise self._without_library(cancel)
        remaining_s = give_up_at - time.monotonic()
        call = self._call(litellm, route, request, timeout_s=remaining_s)
        return self._await(call, timeout_s=remaining_s, cancel=cancel)

    def close(self) -> None:
        """Stop the runtime's loop; it starts again if a model is called."""
        self._runtime.close()

    def _usable_route(self) -> ResolvedRoute:
        match self._resolved:
            case RouteProblem(hint=hint):
                raise ModelUnavailable(RetryFailure.UNKNOWN, hint=hint)
            case ResolvedRoute() as route:
                return route

    def _without_library(self, cancel: CancelSignal) -> ModelUnavailable:
        if cancel.is_cancelled:
            return ModelUnavailable(RetryFailure.CANCELLED)
        if self._runtime.has_failed:
            return ModelUnavailable(RetryFailure.UNKNOWN, hint="litellm cannot be loaded: reinstall superbiz")
        return ModelUnavailable(RetryFailure.TIMEOUT, hint="litellm was still loading")

    def _await(
        self, call: Coroutine[Any, Any, ModelReply], *, timeout_s: float, cancel: CancelSignal
    ) -> ModelReply:
        future = self._runtime.submit(call)
        unregister = cancel.on_cancel(lambda: _cancel(future))
        try:
            return future.result(timeout=max(0.0, timeout_s))
        except concurrent.futures.CancelledError:
            raise ModelUnavailable(RetryFailure.CANCELLED) from None
        except TimeoutError:
            # Also when the loop itself is stuck in a library: the deadline is kept by this thread.
            future.cancel()
            raise ModelUnavailable(RetryFailure.TIMEOUT) from None
        finally:
            unregister()

    async def _call(
        self, litellm: Any, route: ResolvedRoute, request: ModelRequest, *, timeout_s: float
    ) -> ModelReply:
        transport = OneRequestTransport(
            httpx.AsyncHTTPTransport(
                verify=self._trust(route), trust_env=False, proxy=self._proxy, retries=0
            ),
            max_response_bytes=self._max_response_bytes,
            sets_aside=True,
        )
        try:
            self._register(litellm, route)
            arguments = request_arguments(
                litellm,
                route,
                request,
                temperature=self._temperature,
                max_output_tokens=request.max_output_tokens or self._max_output_tokens,
            )
            client = _client(route, transport, timeout_s=timeout_s)
            response = await litellm.acompletion(**arguments, client=client, timeout=timeout_s)
            return read_reply(response, transport.exchange.aside, api_key=route.api_key)
        except ModelUnavailable:
            raise
        except Exception as error:
            raise classify(error, transport.exchange) from None
        finally:
            await transport.aclose()

    def _register(self, litellm: Any, route: ResolvedRoute) -> None:
        """Tell litellm about an Ollama model once, or it asks the server, and localhost, about it."""
        if not self._is_registered:
            litellm.register_model(model_registration(route))
            self._is_registered = True

    def _trust(self, route: ResolvedRoute) -> ssl.SSLContext | bool:
        if not route.api_base.startswith("https:"):
            return False  # nothing to verify, and building a context takes longer than the request
        if self._tls is None:
            self._tls = httpx.create_ssl_context()
        return self._tls


def _client(route: ResolvedRoute, transport: httpx.AsyncBaseTransport, *, timeout_s: float) -> Any:
    """Wrap the transport the way litellm takes a client for this route."""
    if route.client is ClientKind.OPENAI_SDK:
        import openai

        http = httpx.AsyncClient(
            transport=transport, timeout=timeout_s, follow_redirects=False, trust_env=False
        )
        return openai.AsyncOpenAI(
            api_key=route.api_key, base_url=route.api_base, max_retries=0, http_client=http
        )
    from litellm.llms.custom_httpx.http_handler import AsyncHTTPHandler

    return AsyncHTTPHandler(transport=transport, timeout=timeout_s, follow_redirects=False)


def _cancel(future: concurrent.futures.Future[ModelReply]) -> None:
    future.cancel()
