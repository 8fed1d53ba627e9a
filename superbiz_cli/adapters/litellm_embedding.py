"""Embeddings from any OpenAI-compatible endpoint through litellm: batched, bounded, retried by our rules."""

from __future__ import annotations

import concurrent.futures
import math
import os
import time
from collections.abc import Coroutine, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import httpx

from superbiz_cli.adapters.litellm_replies import classify
from superbiz_cli.adapters.litellm_routes import ResolvedRoute, RouteProblem, resolve_route
from superbiz_cli.adapters.litellm_runtime import LitellmRuntime
from superbiz_cli.adapters.litellm_transport import OneRequestTransport
from superbiz_cli.harness.contract.limits import AttemptLimits
from superbiz_cli.harness.contract.model import ModelUnavailable, RetryFailure
from superbiz_cli.harness.core.run import Run
from superbiz_cli.harness.retry.attempts import AttemptsExhausted, run_attempts
from superbiz_cli.harness.retry.policy import RetryPolicy
from superbiz_cli.knowledge.ports import EmbeddingUnavailable
from superbiz_cli.knowledge.records import EmbedderIdentity, LanguageMean, Vector

MAX_BATCH_CHARS = 60_000
MAX_QUERY_CHARS = 4_000
MAX_RESPONSE_BYTES = 64 * 1024 * 1024
POLICY = RetryPolicy(max_attempts=2)
TIMES = AttemptLimits(attempt_s=30.0, total_s=75.0)
_BYTES_PER_TOKEN = 3


@dataclass(frozen=True, slots=True)
class EmbeddingRoute:
    """A configured embedding model. Prefixes are put before every text, for models that want one."""

    name: str
    api_base: str | None = None
    api_key: str | None = None
    api_key_env: str | None = None
    dimension: int = 0
    batch_size: int = 64
    query_prefix: str = ""
    passage_prefix: str = ""


class LitellmEmbedder:
    """See `knowledge.ports.Embedder`."""

    def __init__(
        self,
        route: EmbeddingRoute,
        *,
        times: AttemptLimits = TIMES,
        environ: Mapping[str, str] = os.environ,
        runtime: LitellmRuntime | None = None,
    ) -> None:
        self._route = route
        self._times = times
        self._resolved = resolve_route(
            route.name,
            api_base=route.api_base,
            api_key=route.api_key,
            api_key_env=route.api_key_env,
            environ=environ,
        )
        self._runtime = runtime or LitellmRuntime()

    @property
    def identity(self) -> EmbedderIdentity:
        """The configured model; its dimension is 0 unless the settings state it."""
        return EmbedderIdentity("litellm", self._route.name, self._route.dimension)

    @property
    def batch_size(self) -> int:
        """How many passages one request carries."""
        return self._route.batch_size

    @property
    def usual_means(self) -> Mapping[str, LanguageMean]:
        """Nothing is known of a model before it has embedded something."""
        return {}

    @property
    def problem(self) -> str | None:
        """What is wrong with the configuration (a missing key, an unknown route), or None."""
        return self._resolved.hint if isinstance(self._resolved, RouteProblem) else None

    def warm_up(self) -> None:
        """Start the slow import in the background."""
        if self.problem is None:
            self._runtime.start()

    def count_tokens(self, text: str) -> int:
        """Return a third of the bytes: more than what common tokenizers make of English or Chinese."""
        return max(1, len(text.encode("utf-8")) // _BYTES_PER_TOKEN)

    def passages(self, texts: Sequence[str], *, run: Run) -> list[Vector]:
        """See `Embedder.passages`. Large batches are divided by characters, too."""
        vectors: list[Vector] = []
        for batch in _batches([self._route.passage_prefix + text for text in texts], self._route.batch_size):
            vectors.extend(self._embed(batch, run))
        return vectors

    def query(self, text: str, *, run: Run) -> Vector:
        """See `Embedder.query`."""
        return self._embed([self._route.query_prefix + text[:MAX_QUERY_CHARS]], run)[0]

    def close(self) -> None:
        """Stop the runtime's loop."""
        self._runtime.close()

    def _embed(self, texts: list[str], run: Run) -> list[Vector]:
        try:
            return run_attempts(
                lambda _number, timeout_s: self._attempt(texts, run, timeout_s),
                policy=POLICY,
                limits=self._times,
                run=run,
            )
        except AttemptsExhausted as error:
            run.check_active()
            raise EmbeddingUnavailable(
                f"The embedding model {self._route.name} gave no vectors ({error.failure.value}).",
                hint=error.hint or "check [embedding] name, api_base and api_key_env",
            ) from error

    def _attempt(self, texts: list[str], run: Run, timeout_s: float) -> list[Vector]:
        give_up_at = time.monotonic() + timeout_s
        match self._resolved:
            case RouteProblem(hint=hint):
                raise ModelUnavailable(RetryFailure.UNKNOWN, hint=hint)
            case ResolvedRoute() as route:
                litellm = self._runtime.wait(timeout_s=timeout_s, cancel=run.cancellation)
        run.check_active()
        if litellm is None:
            failed = self._runtime.has_failed
            raise ModelUnavailable(
                RetryFailure.UNKNOWN if failed else RetryFailure.TIMEOUT,
                hint="litellm cannot be loaded: reinstall superbiz"
                if failed
                else "litellm was still loading",
            )
        remaining_s = give_up_at - time.monotonic()
        return self._await(self._call(litellm, route, texts, remaining_s), remaining_s, run)

    def _await(self, call: Coroutine[Any, Any, list[Vector]], timeout_s: float, run: Run) -> list[Vector]:
        future = self._runtime.submit(call)

        def cancel() -> None:
            future.cancel()

        unregister = run.cancellation.on_cancel(cancel)
        try:
            return future.result(timeout=max(0.0, timeout_s))
        except concurrent.futures.CancelledError:
            raise ModelUnavailable(RetryFailure.CANCELLED) from None
        except TimeoutError:
            future.cancel()
            raise ModelUnavailable(RetryFailure.TIMEOUT) from None
        finally:
            unregister()

    async def _call(
        self, litellm: Any, route: ResolvedRoute, texts: list[str], timeout_s: float
    ) -> list[Vector]:
        import openai

        verify = httpx.create_ssl_context() if route.api_base.startswith("https:") else False
        transport = OneRequestTransport(
            httpx.AsyncHTTPTransport(verify=verify, trust_env=False, retries=0),
            max_response_bytes=MAX_RESPONSE_BYTES,
        )
        http = httpx.AsyncClient(
            transport=transport, timeout=timeout_s, follow_redirects=False, trust_env=False
        )
        try:
            response = await litellm.aembedding(
                model=f"openai/{route.model}",  # every supported route speaks this protocol
                input=texts,
                api_base=route.api_base,
                api_key=route.api_key,
                encoding_format="float",
                num_retries=0,
                max_retries=0,
                timeout=timeout_s,
                client=openai.AsyncOpenAI(
                    api_key=route.api_key, base_url=route.api_base, max_retries=0, http_client=http
                ),
            )
            return _vectors(response, expected=len(texts), dimension=self._route.dimension)
        except ModelUnavailable:
            raise
        except Exception as error:
            raise classify(error, transport.exchange) from None
        finally:
            await transport.aclose()


def _batches(texts: Sequence[str], size: int) -> list[list[str]]:
    batches: list[list[str]] = []
    chars = 0
    for text in texts:
        if not batches or len(batches[-1]) >= size or chars + len(text) > MAX_BATCH_CHARS:
            batches.append([])
            chars = 0
        batches[-1].append(text)
        chars += len(text)
    return batches


def _vectors(response: Any, *, expected: int, dimension: int) -> list[Vector]:
    """Read the vectors in the order of their index, normalised. Raises ModelUnavailable INVALID_OUTPUT."""
    try:
        rows = [item if isinstance(item, dict) else item.model_dump() for item in response.data]
        ordered = sorted(rows, key=lambda row: int(row["index"]))
        vectors = [_normalised([float(value) for value in row["embedding"]]) for row in ordered]
    except (AttributeError, KeyError, TypeError, ValueError):
        raise ModelUnavailable(
            RetryFailure.INVALID_OUTPUT, hint="the endpoint's answer is not a list of vectors"
        ) from None
    lengths = {len(vector) for vector in vectors}
    if len(vectors) != expected or len(lengths) != 1 or not lengths.isdisjoint({0}):
        raise ModelUnavailable(RetryFailure.INVALID_OUTPUT, hint="the endpoint sent too few vectors")
    if dimension and lengths != {dimension}:
        raise ModelUnavailable(
            RetryFailure.UNKNOWN,
            hint=f"the vectors have {lengths.pop()} dimensions, [embedding] dimension says {dimension}",
        )
    return vectors


def _normalised(vector: list[float]) -> Vector:
    length = math.sqrt(sum(value * value for value in vector))
    if not length or not math.isfinite(length):
        raise ValueError("not a direction")
    return [value / length for value in vector]
