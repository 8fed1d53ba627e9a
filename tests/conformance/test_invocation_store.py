"""One suite over every canonical store: what the port promises holds for each of them."""

from __future__ import annotations

import sqlite3
import uuid
from abc import ABC, abstractmethod
from collections.abc import Iterator
from contextlib import closing
from dataclasses import replace
from pathlib import Path

import pytest
import redis

from superbiz_cli.adapters.redis_invocations import RedisInvocationStore
from superbiz_cli.adapters.sqlite_invocations import SqliteInvocationStore
from superbiz_cli.harness.contract.status import EvidenceStatus, InvocationStatus
from superbiz_cli.harness.contract.tool_call import ToolErrorCode, ToolName
from superbiz_cli.harness.tool.invocation import CanonicalInvocation, InvocationStore, StoreError, StoreFault
from superbiz_cli.harness.tool.record_codec import encode_record
from tests.support.clock import FakeClock
from tests.support.fakes import InMemoryInvocationStore, Scripted, ready_record
from tests.support.racing_process import agent_result_of, open_store, race
from tests.support.services import redis_url

TTL_S = 7200
MAX_RECORD_BYTES = 4096
LATER_S = 60

READY = ready_record("run-1", "ev-1")
BEGUN = READY.as_begun()
FAILED = replace(
    BEGUN,
    status=InvocationStatus.ERROR,
    evidence_status=EvidenceStatus.ERROR,
    error_code=ToolErrorCode.TOOL_EXECUTION_ERROR,
    completed_at=READY.completed_at,
)


class Subject(ABC):
    """A store under test, and the hand that reaches behind it."""

    store: InvocationStore

    @abstractmethod
    def pass_time(self, record: CanonicalInvocation, seconds: float) -> None:
        """Let `seconds` of the record's life go by."""

    @abstractmethod
    def lives(self, record: CanonicalInvocation) -> bool:
        """Whether the record would still be there `LATER_S` seconds before the end of its TTL."""

    def close(self) -> None:
        self.store.close()


class PersistentSubject(Subject):
    """A store whose bytes lie somewhere, where other processes see them too."""

    location: str

    @abstractmethod
    def another(self) -> InvocationStore:
        """A second, independent connection to the same records."""

    @abstractmethod
    def stored(self, record: CanonicalInvocation) -> bytes:
        """The bytes that lie under the record's key."""

    @abstractmethod
    def plant(self, record: CanonicalInvocation, encoded: bytes) -> None:
        """Put `encoded` under the record's key, by no legal way."""


class MemorySubject(Subject):
    def __init__(self) -> None:
        self.clock = FakeClock()
        self.store = InMemoryInvocationStore(clock=self.clock, ttl_s=TTL_S, max_record_bytes=MAX_RECORD_BYTES)

    def pass_time(self, record: CanonicalInvocation, seconds: float) -> None:
        self.clock.advance(seconds)

    def lives(self, record: CanonicalInvocation) -> bool:
        return self.store.find(record.run_id, record.tool_call_id) is not None


class SqliteSubject(PersistentSubject):
    def __init__(self, path: Path) -> None:
        self.location = str(path)
        self.clock = FakeClock()
        self.opened: list[SqliteInvocationStore] = []
        self.store = self.another()

    def another(self) -> SqliteInvocationStore:
        path = Path(self.location)
        self.opened.append(
            SqliteInvocationStore.open(path, ttl_s=TTL_S, max_record_bytes=MAX_RECORD_BYTES, clock=self.clock)
        )
        return self.opened[-1]

    def pass_time(self, record: CanonicalInvocation, seconds: float) -> None:
        self.clock.advance(seconds)

    def lives(self, record: CanonicalInvocation) -> bool:
        return self.store.find(record.run_id, record.tool_call_id) is not None

    def stored(self, record: CanonicalInvocation) -> bytes:
        select = "SELECT record FROM invocation WHERE run_id = ? AND tool_call_id = ?"
        row = self._behind().execute(select, (record.run_id, record.tool_call_id)).fetchone()
        assert isinstance(row[0], bytes)
        return row[0]

    def plant(self, record: CanonicalInvocation, encoded: bytes) -> None:
        expires_at_ms = int((self.clock.now().timestamp() + TTL_S) * 1000)
        self._behind().execute(
            "INSERT OR REPLACE INTO invocation VALUES (?, ?, ?, ?)",
            (record.run_id, record.tool_call_id, encoded, expires_at_ms),
        )

    def _behind(self) -> sqlite3.Connection:
        return self.opened[0]._connection

    def close(self) -> None:
        for store in self.opened:
            store.close()


class RedisSubject(PersistentSubject):
    def __init__(self, url: str) -> None:
        self.url = url
        self.prefix = f"superbiz-test-{uuid.uuid4().hex}"
        self.location = f"redis:{self.prefix} {url}"
        self.client = redis.Redis.from_url(url)
        self.opened: list[RedisInvocationStore] = []
        self.store = self.another()

    def another(self) -> RedisInvocationStore:
        self.opened.append(
            RedisInvocationStore.open(
                self.url, key_prefix=self.prefix, ttl_s=TTL_S, max_record_bytes=MAX_RECORD_BYTES, timeout_s=10
            )
        )
        return self.opened[-1]

    def pass_time(self, record: CanonicalInvocation, seconds: float) -> None:
        left_ms = self._left_ms(record)
        self.client.pexpire(self.key(record), max(0, left_ms - int(seconds * 1000)))

    def lives(self, record: CanonicalInvocation) -> bool:
        return self._left_ms(record) > 0

    def stored(self, record: CanonicalInvocation) -> bytes:
        encoded = self.client.get(self.key(record))
        assert isinstance(encoded, bytes)
        return encoded

    def plant(self, record: CanonicalInvocation, encoded: bytes) -> None:
        self.client.set(self.key(record), encoded, ex=TTL_S)

    def key(self, record: CanonicalInvocation) -> str:
        return f"{self.prefix}:{record.run_id}:{record.tool_call_id}"

    def _left_ms(self, record: CanonicalInvocation) -> int:
        left_ms = self.client.pttl(self.key(record))
        assert isinstance(left_ms, int)
        return left_ms

    def close(self) -> None:
        for key in self.client.scan_iter(f"{self.prefix}:*"):
            self.client.delete(key)
        self.client.close()
        for store in self.opened:
            store.close()


def _subject(kind: str, tmp_path: Path) -> Subject:
    match kind:
        case "memory":
            return MemorySubject()
        case "sqlite":
            return SqliteSubject(tmp_path / "home" / "invocations.sqlite3")
        case _:
            return RedisSubject(redis_url())


PERSISTENT = ["sqlite", pytest.param("redis", marks=pytest.mark.redis)]


@pytest.fixture(params=["memory", *PERSISTENT])
def subject(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Subject]:
    subject = _subject(request.param, tmp_path)
    yield subject
    subject.close()


@pytest.fixture(params=PERSISTENT)
def persistent(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[PersistentSubject]:
    subject = _subject(request.param, tmp_path)
    assert isinstance(subject, PersistentSubject)
    yield subject
    subject.close()


def refused(caught: pytest.ExceptionInfo[StoreError]) -> StoreFault:
    return caught.value.fault


def test_a_begun_record_is_found_as_it_was_written(subject: Subject) -> None:
    subject.store.begin(BEGUN)
    assert subject.store.find("run-1", "ev-1") == BEGUN


@pytest.mark.parametrize("completed", [READY, FAILED], ids=["READY", "ERROR"])
def test_a_completed_record_replaces_the_begun_one(completed: CanonicalInvocation, subject: Subject) -> None:
    subject.store.begin(BEGUN)
    subject.store.complete(completed)
    assert subject.store.find("run-1", "ev-1") == completed


def test_texts_of_every_script_survive_the_store(subject: Subject) -> None:
    record = replace(
        READY,
        request='{"query":"支付超时 \\u0000 💥"}',
        raw_response="\x00\x1b\u2028 ünïcode 'quote'; DROP TABLE",
        agent_result="支付超时",
    )
    subject.store.begin(record.as_begun())
    subject.store.complete(record)
    assert subject.store.find("run-1", "ev-1") == record


def test_a_second_begin_of_the_same_call_is_a_duplicate(subject: Subject) -> None:
    subject.store.begin(BEGUN)
    for record in (BEGUN, replace(BEGUN, request='{"query":"another"}')):
        with pytest.raises(StoreError) as caught:
            subject.store.begin(record)
        assert refused(caught) is StoreFault.DUPLICATE
    assert subject.store.find("run-1", "ev-1") == BEGUN


def test_a_completed_call_cannot_begin_again(subject: Subject) -> None:
    subject.store.begin(BEGUN)
    subject.store.complete(READY)
    with pytest.raises(StoreError) as caught:
        subject.store.begin(BEGUN)
    assert refused(caught) is StoreFault.DUPLICATE
    assert subject.store.find("run-1", "ev-1") == READY


@pytest.mark.parametrize("completed", [READY, FAILED], ids=["READY", "ERROR"])
def test_nothing_begins_complete(completed: CanonicalInvocation, subject: Subject) -> None:
    with pytest.raises(StoreError) as caught:
        subject.store.begin(completed)
    assert refused(caught) is StoreFault.ILLEGAL_TRANSITION
    assert subject.store.find("run-1", "ev-1") is None


@pytest.mark.parametrize("first", [READY, FAILED], ids=["READY", "ERROR"])
@pytest.mark.parametrize("second", [READY, FAILED], ids=["to-READY", "to-ERROR"])
def test_a_complete_record_never_changes(
    first: CanonicalInvocation, second: CanonicalInvocation, subject: Subject
) -> None:
    subject.store.begin(BEGUN)
    subject.store.complete(first)
    with pytest.raises(StoreError) as caught:
        subject.store.complete(second)
    assert refused(caught) is StoreFault.ILLEGAL_TRANSITION
    assert subject.store.find("run-1", "ev-1") == first


def test_nothing_goes_back_to_projecting(subject: Subject) -> None:
    subject.store.begin(BEGUN)
    with pytest.raises(StoreError) as caught:
        subject.store.complete(BEGUN)
    assert refused(caught) is StoreFault.ILLEGAL_TRANSITION


@pytest.mark.parametrize(
    "changed",
    [
        replace(READY, request='{"query":"another"}'),
        replace(READY, tool_name=ToolName.QUERY_MYSQL),
        replace(READY, started_at="2026-11-30T10:14:59+00:00"),
    ],
    ids=["request", "tool", "start"],
)
def test_a_completion_of_another_identity_is_illegal(changed: CanonicalInvocation, subject: Subject) -> None:
    subject.store.begin(BEGUN)
    with pytest.raises(StoreError) as caught:
        subject.store.complete(changed)
    assert refused(caught) is StoreFault.ILLEGAL_TRANSITION
    assert subject.store.find("run-1", "ev-1") == BEGUN


def test_what_never_began_cannot_complete(subject: Subject) -> None:
    with pytest.raises(StoreError) as caught:
        subject.store.complete(READY)
    assert refused(caught) is StoreFault.ABSENT
    assert subject.store.find("run-1", "ev-1") is None


@pytest.mark.parametrize(
    ("run_id", "tool_call_id"),
    [
        ("run-1", "ev-2"),
        ("run-2", "ev-1"),
        ("run-1", "EV-1"),
        ("run-1", "ev-1 "),
        ("run-1", ""),
        ("run-1", "*"),
        ("run-1", "ev-?"),
        ("run-1", "ev-1\x00"),
        ("run-1", "\udc80"),
        ("run-1:ev-1", ""),
        ("", "run-1:ev-1"),
    ],
)
def test_only_the_exact_key_finds_a_record(run_id: str, tool_call_id: str, subject: Subject) -> None:
    subject.store.begin(BEGUN)
    subject.store.complete(READY)
    assert subject.store.find(run_id, tool_call_id) is None


def test_a_separator_in_an_id_cannot_reach_another_runs_record(subject: Subject) -> None:
    subject.store.begin(replace(BEGUN, run_id="a", tool_call_id="b"))
    assert subject.store.find("a:b", "c") is None
    assert subject.store.find("a", "b:c") is None


@pytest.mark.parametrize(
    "illegal", [replace(BEGUN, run_id="a:b"), replace(BEGUN, tool_call_id="a:b")], ids=["run", "call"]
)
def test_a_record_whose_key_has_an_illegal_shape_is_refused(
    illegal: CanonicalInvocation, persistent: PersistentSubject
) -> None:
    with pytest.raises(StoreError) as caught:
        persistent.store.begin(illegal)
    assert refused(caught) is StoreFault.ILLEGAL_TRANSITION
    assert persistent.store.find(illegal.run_id, illegal.tool_call_id) is None


def test_the_same_call_id_in_another_run_is_another_record(subject: Subject) -> None:
    other = ready_record("run-2", "ev-1", script=Scripted(status=EvidenceStatus.NO_EVIDENCE))
    for record in (READY, other):
        subject.store.begin(record.as_begun())
        subject.store.complete(record)
    assert subject.store.find("run-1", "ev-1") == READY
    assert subject.store.find("run-2", "ev-1") == other


def test_an_oversize_request_cannot_begin(subject: Subject) -> None:
    with pytest.raises(StoreError) as caught:
        subject.store.begin(replace(BEGUN, request='"' + "x" * MAX_RECORD_BYTES + '"'))
    assert refused(caught) is StoreFault.TOO_LARGE
    assert subject.store.find("run-1", "ev-1") is None


@pytest.mark.parametrize(
    "oversize",
    [
        replace(READY, raw_response="é" * (MAX_RECORD_BYTES // 2 + 1)),
        replace(READY, agent_result="é" * (MAX_RECORD_BYTES // 2 + 1)),
    ],
    ids=["raw", "agent result"],
)
def test_an_oversize_result_cannot_complete_and_the_call_can_still_fail(
    oversize: CanonicalInvocation, subject: Subject
) -> None:
    subject.store.begin(BEGUN)
    with pytest.raises(StoreError) as caught:
        subject.store.complete(oversize)
    assert refused(caught) is StoreFault.TOO_LARGE
    assert subject.store.find("run-1", "ev-1") == BEGUN
    subject.store.complete(FAILED)
    assert subject.store.find("run-1", "ev-1") == FAILED


def test_the_size_is_that_of_the_whole_encoded_record(persistent: PersistentSubject) -> None:
    room = MAX_RECORD_BYTES - len(encode_record(replace(READY, raw_response=""), max_bytes=MAX_RECORD_BYTES))
    persistent.store.begin(BEGUN)
    with pytest.raises(StoreError):
        persistent.store.complete(replace(READY, raw_response="x" * (room + 1)))
    persistent.store.complete(replace(READY, raw_response="x" * room))
    assert len(persistent.stored(READY)) == MAX_RECORD_BYTES


def test_an_expired_record_is_absent(subject: Subject) -> None:
    subject.store.begin(BEGUN)
    subject.pass_time(BEGUN, TTL_S)
    assert subject.store.find("run-1", "ev-1") is None
    with pytest.raises(StoreError) as caught:
        subject.store.complete(READY)
    assert refused(caught) is StoreFault.ABSENT


def test_an_expired_call_may_begin_anew(subject: Subject) -> None:
    subject.store.begin(BEGUN)
    subject.pass_time(BEGUN, TTL_S)
    subject.store.begin(BEGUN)
    assert subject.store.find("run-1", "ev-1") == BEGUN


def test_neither_reading_nor_completing_extends_the_life_of_a_record(subject: Subject) -> None:
    subject.store.begin(BEGUN)
    subject.pass_time(BEGUN, TTL_S - LATER_S)
    assert subject.store.find("run-1", "ev-1") == BEGUN
    subject.store.complete(READY)
    assert subject.store.find("run-1", "ev-1") == READY
    assert subject.lives(READY)
    subject.pass_time(READY, LATER_S)
    assert subject.store.find("run-1", "ev-1") is None


GARBAGE = {
    "nothing": b"",
    "no JSON": b"not json",
    "no object": b"[]",
    "no UTF-8": b"\xff\xfe",
    "a field is missing": b'{"run_id":"run-1"}',
    "a field too many": encode_record(BEGUN, max_bytes=MAX_RECORD_BYTES)[:-1] + b',"x":1}',
    "a key twice": encode_record(BEGUN, max_bytes=MAX_RECORD_BYTES)[:-1] + b',"run_id":"run-1"}',
    "cut off": encode_record(READY, max_bytes=MAX_RECORD_BYTES)[:-1],
    "trailing text": encode_record(READY, max_bytes=MAX_RECORD_BYTES) + b"{}",
    "an unknown status": encode_record(READY, max_bytes=MAX_RECORD_BYTES).replace(b"READY", b"DONE"),
    "an unknown tool": encode_record(READY, max_bytes=MAX_RECORD_BYTES).replace(b"query_logs", b"rm"),
    "an illegal combination": encode_record(READY, max_bytes=MAX_RECORD_BYTES).replace(
        b'"READY"', b'"ERROR"'
    ),
    "a number for a text": encode_record(BEGUN, max_bytes=MAX_RECORD_BYTES).replace(b'"run-1"', b"1"),
    "oversize": encode_record(replace(READY, raw_response="x" * MAX_RECORD_BYTES), max_bytes=1 << 20),
}


@pytest.mark.parametrize("garbage", GARBAGE.values(), ids=GARBAGE.keys())
def test_a_corrupt_record_is_reported_and_neither_read_nor_overwritten(
    garbage: bytes, persistent: PersistentSubject
) -> None:
    persistent.plant(BEGUN, garbage)
    with pytest.raises(StoreError) as caught:
        persistent.store.find("run-1", "ev-1")
    assert refused(caught) is StoreFault.CORRUPT
    with pytest.raises(StoreError) as caught:
        persistent.store.complete(READY)
    assert refused(caught) is StoreFault.CORRUPT
    with pytest.raises(StoreError) as caught:
        persistent.store.begin(BEGUN)
    assert refused(caught) is StoreFault.DUPLICATE
    assert persistent.stored(BEGUN) == garbage


def test_a_second_connection_sees_the_same_records(persistent: PersistentSubject) -> None:
    persistent.store.begin(BEGUN)
    other = persistent.another()
    assert other.find("run-1", "ev-1") == BEGUN
    other.complete(READY)
    assert persistent.store.find("run-1", "ev-1") == READY


def test_records_survive_the_process_that_wrote_them(persistent: PersistentSubject) -> None:
    persistent.store.begin(BEGUN)
    persistent.store.complete(READY)
    persistent.store.close()
    assert persistent.another().find("run-1", "ev-1") == READY


def test_one_of_two_processes_wins_each_begin(persistent: PersistentSubject) -> None:
    keys = [f"ev-{number}" for number in range(20)]
    outcomes = race(persistent.location, run_id="run-1", step="begin", keys=keys)
    assert [sorted(pair) for pair in zip(*outcomes, strict=True)] == [["DUPLICATE", "won"]] * len(keys)


def test_one_of_two_processes_wins_each_transition_and_its_record_stays(
    persistent: PersistentSubject,
) -> None:
    keys = [f"ev-{number}" for number in range(20)]
    race(persistent.location, run_id="run-1", step="begin", keys=keys, processes=1)
    first, second = race(persistent.location, run_id="run-1", step="complete", keys=keys)
    with closing(open_store(persistent.location)) as store:
        for key, pair in zip(keys, zip(first, second, strict=True), strict=True):
            assert sorted(pair) == ["ILLEGAL_TRANSITION", "won"]
            record = store.find("run-1", key)
            assert record is not None
            assert record.agent_result == agent_result_of(pair.index("won"))


def test_a_store_error_holds_its_fault_and_nothing_else(subject: Subject) -> None:
    with pytest.raises(StoreError) as caught:
        subject.store.complete(READY)
    assert str(caught.value) == "ABSENT"
    assert caught.value.__cause__ is None
