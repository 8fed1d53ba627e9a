"""One suite over every database that keeps cases: what the port promises holds on each of them."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing
from dataclasses import replace
from datetime import timedelta
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from sqlalchemy import create_engine, text

from superbiz_cli.adapters.sql_audit import case_index
from superbiz_cli.adapters.sql_audit.archive import open_archive
from superbiz_cli.adapters.sql_audit.schema import metadata
from superbiz_cli.harness.application.similarity import THRESHOLD, IndexedTerms
from superbiz_cli.harness.application.terms import terms_of
from superbiz_cli.harness.audit.archive import RunArchive
from superbiz_cli.harness.audit.case_library import (
    AmbiguousCase,
    CaseLibrary,
    Feedback,
    KeptCount,
    NoCases,
    Verdict,
)
from superbiz_cli.harness.contract.case import Case
from tests.support.audit import scratch_database, write_run
from tests.support.cases import CONFIRMED, DISK, QUEUE, a_case
from tests.support.services import mariadb_url

SECRET = "hunter2"
POOL = a_case()


def redact(given: str) -> str:
    return given.replace(SECRET, "[REDACTED]")


@pytest.fixture(scope="module")
def mariadb_scratch() -> Iterator[str]:
    with scratch_database(mariadb_url()) as url:
        yield url


@pytest.fixture(params=["sqlite", pytest.param("mariadb", marks=pytest.mark.mariadb)])
def url(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    if request.param == "sqlite":
        return f"sqlite:///{tmp_path / 'audit.db'}"
    return str(request.getfixturevalue("mariadb_scratch"))


@pytest.fixture
def archive(url: str) -> Iterator[RunArchive]:
    with closing(open_archive(url, redact=redact, owner="ann")) as opened:
        engine = create_engine(url)
        with engine.begin() as connection:
            for table in metadata.sorted_tables:
                connection.execute(table.delete())
        engine.dispose()
        yield opened


@pytest.fixture
def library(archive: RunArchive) -> CaseLibrary:
    return archive.case_library()


def similar(library: CaseLibrary, query: str, *, limit: int = 3) -> list[str]:
    found = library.most_similar(terms_of(query), limit=limit, threshold=THRESHOLD)
    return [scored.case.case_id for scored in found]


def test_a_kept_case_is_found_as_it_was(library: CaseLibrary) -> None:
    assert library.keep([POOL]) == KeptCount(added=1)
    assert library.find(POOL.case_id) == POOL
    assert library.case_of_run("run0000001") == POOL
    assert library.page().cases == (POOL,)


def test_a_case_is_found_by_the_beginning_of_its_id(library: CaseLibrary) -> None:
    library.keep([POOL, QUEUE, replace(POOL, case_id="case-pool0002", run_id=None)])
    assert library.find("case-q") == QUEUE
    assert library.find("queue") == QUEUE
    assert isinstance(library.find("pool"), AmbiguousCase)
    assert library.find("nothing") is None
    assert library.find("%") is None


def test_a_known_id_is_replaced_and_an_equal_case_left_alone(library: CaseLibrary) -> None:
    library.keep([POOL, QUEUE])
    changed = replace(POOL, symptoms=("certificate expired",), root_cause="An expired certificate.")
    assert library.keep([changed, QUEUE, DISK]) == KeptCount(added=1, replaced=1, unchanged=1)
    assert library.find(POOL.case_id) == changed
    assert similar(library, "the certificate expired") == [POOL.case_id]
    assert similar(library, "payment connection pool exhausted") == []


def test_texts_are_redacted_bounded_and_put_on_one_line(library: CaseLibrary) -> None:
    library.keep(
        [
            replace(
                POOL,
                symptoms=(f"password={SECRET}\nnext", *(f"symptom {n}" for n in range(20))),
                root_cause="x" * 5000 + SECRET,
                note=SECRET,
                solution=SECRET,
            )
        ]
    )
    kept = library.find(POOL.case_id)
    assert isinstance(kept, Case)
    assert kept.symptoms[0] == "password=[REDACTED] next"
    assert len(kept.symptoms) == 6
    assert len(kept.root_cause) == 1000
    assert SECRET not in repr(kept)


def test_pages_are_newest_first_and_continue_where_they_ended(library: CaseLibrary) -> None:
    cases = [a_case(f"case-{n:04}", created_at=CONFIRMED + timedelta(minutes=n // 2)) for n in range(7)]
    library.keep(cases)
    first = library.page(limit=3)
    second = library.page(limit=9, before=first.cases[-1].case_id)
    assert (first.more, second.more) == (True, False)
    ids = [case.case_id for case in (*first.cases, *second.cases)]
    assert ids == [f"case-{n:04}" for n in range(6, -1, -1)]
    assert library.page(before="case-none").cases == ()


@pytest.mark.parametrize(
    ("query", "found"),
    [
        ("payments fail with timeouts", ["case-pool0001"]),
        ("支付服务超时了", ["case-pool0001"]),
        ("HikariPool exhausted in the payment service", ["case-pool0001"]),
        ("order messages pile up in kafka", ["case-queue001"]),
        ("消费者不消费，订单消息堆积", ["case-queue001"]),
        ("the mysql disk is full", ["case-disk0001"]),
        ("redis evicts keys", []),
        ("the login page times out", []),
        ("it times out", []),
        ("what can you do?", []),
        ("证书过期", []),
        ("", []),
    ],
)
def test_a_paraphrase_recalls_a_case_and_another_question_does_not(
    library: CaseLibrary, query: str, found: list[str]
) -> None:
    library.keep([POOL, QUEUE, DISK])
    assert similar(library, query) == found


def test_recall_does_not_depend_on_the_size_of_the_library(library: CaseLibrary) -> None:
    library.keep([POOL])
    alone = library.most_similar(terms_of("payments time out"), limit=1, threshold=0)[0].score
    library.keep([a_case(f"case-{n}", symptoms=(f"payment {n} declined",), run_id=None) for n in range(300)])
    among = library.most_similar(terms_of("payments time out"), limit=1, threshold=0)[0]
    assert among.case == POOL
    assert among.score == pytest.approx(alone)


def test_of_equal_cases_the_newest_come_first(library: CaseLibrary) -> None:
    library.keep([a_case(f"case-{n}", run_id=None) for n in range(5)])
    assert similar(library, "payment service times out") == ["case-4", "case-3", "case-2"]


def test_a_case_that_says_everything_is_like_nothing(library: CaseLibrary) -> None:
    from superbiz_cli.harness.application.concepts import CONCEPTS

    words = [english.split("|")[0] for _, english, _ in CONCEPTS.values()]
    everything = tuple(" ".join(words[n::6]) for n in range(6))
    library.keep([a_case("case-everything", symptoms=everything, run_id=None)])
    assert similar(library, "payment service times out") == []


def test_a_removed_case_is_never_recalled(library: CaseLibrary) -> None:
    library.keep([POOL])
    assert library.remove(POOL.case_id)
    assert not library.remove(POOL.case_id)
    assert similar(library, "payment service times out") == []
    library.keep([replace(QUEUE, case_id="case-next")])
    assert similar(library, "payment service times out") == []


def test_wrong_removes_the_case_of_the_run_and_a_later_word_takes_its_place(library: CaseLibrary) -> None:
    library.keep([POOL, DISK])
    library.give_feedback(Feedback("run0000001", Verdict.WRONG, CONFIRMED, note=f"it was {SECRET}"))
    assert library.case_of_run("run0000001") is None
    assert similar(library, "payment service times out") == []
    assert library.find(DISK.case_id) == DISK
    said = library.feedback_of("run0000001")
    assert said == Feedback("run0000001", Verdict.WRONG, CONFIRMED, note="it was [REDACTED]")
    later = Feedback("run0000001", Verdict.HELPFUL, CONFIRMED + timedelta(hours=1))
    library.give_feedback(later)
    assert library.feedback_of("run0000001") == later
    assert library.feedback_of("run0000002") is None


def test_a_diagnosis_that_was_called_wrong_is_not_remembered_by_its_session(
    archive: RunArchive, library: CaseLibrary
) -> None:
    write_run(archive, "run0000001")
    write_run(archive, "run0000002")
    library.give_feedback(Feedback("run0000002", Verdict.WRONG, CONFIRMED))
    library.give_feedback(Feedback("run0000001", Verdict.HELPFUL, CONFIRMED))
    last = archive.last_success("s1")
    assert last is not None
    assert last.run_id == "run0000001"
    library.give_feedback(Feedback("run0000002", Verdict.HELPFUL, CONFIRMED))
    latest = archive.last_success("s1")
    assert latest is not None
    assert latest.run_id == "run0000002"


def test_pruning_a_run_takes_its_feedback_and_leaves_the_case(
    archive: RunArchive, library: CaseLibrary
) -> None:
    write_run(archive)
    library.keep([POOL])
    library.give_feedback(Feedback("run0000001", Verdict.HELPFUL, CONFIRMED))
    archive.prune(before=CONFIRMED + timedelta(days=999))
    assert library.feedback_of("run0000001") is None
    assert library.find(POOL.case_id) == POOL


def test_the_index_holds_no_word_of_a_case(library: CaseLibrary, url: str) -> None:
    library.keep([POOL])
    engine = create_engine(url)
    with engine.connect() as connection:
        rows = connection.execute(text("SELECT term, occurrences FROM case_term")).all()
    engine.dispose()
    assert rows
    assert all(isinstance(term, int) and len(bytes(occurrences)) == 4 for term, occurrences in rows)


@settings(max_examples=15, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    batches=st.lists(
        st.dictionaries(
            st.integers(1, 2**30),
            st.tuples(st.sets(st.sampled_from("abcdé支")), st.sets(st.sampled_from("xyz"))),
            max_size=5,
        ),
        max_size=5,
    )
)
def test_occurrences_come_back_as_they_were_appended(
    archive: RunArchive,
    url: str,
    batches: list[dict[int, tuple[set[str], set[str]]]],
) -> None:
    engine = create_engine(url)
    with engine.connect() as connection:
        expected: dict[str, list[int]] = {}
        for batch in batches:
            terms = {
                number: IndexedTerms(frozenset(direct), frozenset(indirect), weight=1)
                for number, (direct, indirect) in batch.items()
            }
            case_index.append(connection, terms)
            for number, (direct, indirect) in batch.items():
                for term in direct | indirect:
                    expected.setdefault(term, []).append(number)
        found = case_index.occurrences_of(connection, list("abcdé支xyz"))
        connection.rollback()
    engine.dispose()
    assert {term: sorted([*where.direct, *where.indirect]) for term, where in found.items()} == {
        term: sorted(numbers) for term, numbers in expected.items()
    }


def test_the_null_object_knows_nothing() -> None:
    library = NoCases()
    library.give_feedback(Feedback("run0000001", Verdict.HELPFUL, CONFIRMED))
    assert library.keep([POOL]) == KeptCount()
    assert library.find(POOL.case_id) is None
    assert library.case_of_run("run0000001") is None
    assert library.feedback_of("run0000001") is None
    assert (library.page().cases, library.most_similar({"a": 1}, limit=3, threshold=0)) == ((), ())
    assert not library.remove(POOL.case_id)
