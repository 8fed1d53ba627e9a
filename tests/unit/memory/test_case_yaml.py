"""Files of cases: what is written is read again, and what is wrong is named by place."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from superbiz_cli.adapters.case_yaml import CaseFileFault, read_cases, write_cases
from superbiz_cli.harness.contract.case import Case
from tests.support.cases import CONFIRMED, DISK, QUEUE, a_case

NOW = datetime(2026, 12, 1, tzinfo=UTC)
HEAD = "schema: superbiz.cases/v1\ncases:\n"
_TEXT = st.text(st.characters(codec="utf-8"), max_size=30)
_FILLED = _TEXT.filter(lambda text: bool(text.strip()))


def test_written_cases_are_read_again() -> None:
    cases = (a_case(), QUEUE, DISK)
    assert read_cases(write_cases(cases), now=NOW) == cases


@given(
    st.lists(
        st.builds(
            Case,
            case_id=st.from_regex(r"[A-Za-z0-9][A-Za-z0-9._-]{0,20}", fullmatch=True),
            symptoms=st.lists(_FILLED, min_size=1, max_size=3).map(tuple),
            root_cause=_FILLED,
            created_at=st.datetimes(timezones=st.just(UTC)),
            solution=_TEXT,
            services=st.lists(_TEXT, max_size=2).map(tuple),
            documents=st.lists(_TEXT, max_size=2).map(tuple),
            note=_TEXT,
            run_id=st.none() | st.just("run1"),
        ),
        max_size=4,
        unique_by=lambda case: case.case_id,
    )
)
def test_any_case_survives_its_file(cases: list[Case]) -> None:
    assert read_cases(write_cases(cases), now=NOW) == tuple(cases)


def test_the_least_that_a_person_must_write() -> None:
    text = HEAD + "- {id: disk-1, symptoms: [disk full], root_cause: binlogs}\n"
    [case] = read_cases(text, now=NOW)
    assert case == Case("disk-1", ("disk full",), "binlogs", NOW)


@pytest.mark.parametrize(
    ("stated", "moment"),
    [
        ("2026-11-30", datetime(2026, 11, 30, tzinfo=UTC)),
        ("'2026-11-30T12:00:00+00:00'", CONFIRMED),
        ("2026-11-30T20:00:00+08:00", CONFIRMED),
        ("2026-11-30 12:00:00", CONFIRMED),
    ],
)
def test_times_are_read_as_people_write_them(stated: str, moment: datetime) -> None:
    text = HEAD + f"- {{id: a, symptoms: [x], root_cause: y, confirmed: {stated}}}\n"
    assert read_cases(text, now=NOW)[0].created_at == moment


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("", "must hold the keys"),
        ("[1, 2]", "must hold the keys"),
        ("schema: other\ncases: []", "schema must be superbiz.cases/v1"),
        ("schema: superbiz.cases/v1\ncases: {}", "cases must be a list"),
        ("schema: superbiz.cases/v1\ncases: []\nmore: 1", "no other"),
        (HEAD + "- nonsense", "cases[0] must be a mapping"),
        (HEAD + "- {id: a, symptoms: [x]}", "cases[0].root_cause: is missing"),
        (HEAD + "- {id: a b, symptoms: [x], root_cause: y}", "cases[0].id"),
        (HEAD + "- {id: 7, symptoms: [x], root_cause: y}", "cases[0].id: must be a text"),
        (HEAD + "- {id: a, symptoms: x, root_cause: y}", "cases[0].symptoms: must be a list"),
        (HEAD + "- {id: a, symptoms: [], root_cause: y}", "cases[0].symptoms: must not be empty"),
        (HEAD + "- {id: a, symptoms: [' '], root_cause: y}", "must not be blank"),
        (HEAD + "- {id: a, symptoms: [x], root_cause: y, cause: z}", "cases[0].cause: unknown key"),
        (HEAD + "- {id: a, symptoms: [x], root_cause: y, confirmed: soon}", "cases[0].confirmed"),
        (HEAD + "- &a {id: a, symptoms: [x], root_cause: y}\n- *a", "used twice"),
        (HEAD + "- {id: a, id: b}", "line 3"),
        (HEAD + "- {? [a] : b}", "line 3"),
        (HEAD + "- {id: a", "not valid YAML"),
        (HEAD + "- !!python/object/apply:os.system [id]", "not valid YAML"),
        (HEAD + "- {id: a, symptoms: [!!binary aGk=], root_cause: y}", "neither a text"),
    ],
)
def test_what_is_wrong_is_named_by_its_place(text: str, problem: str) -> None:
    with pytest.raises(CaseFileFault) as refused:
        read_cases(text, now=NOW)
    assert problem in str(refused.value)


def test_a_file_that_expands_without_end_is_refused() -> None:
    bomb = "a: &a [x, x, x, x, x, x, x, x, x]\n" + "".join(
        f"{name}: &{name} [{', '.join([f'*{before}'] * 9)}]\n"
        for before, name in zip("abcdefgh", "bcdefghi", strict=True)
    )
    with pytest.raises(CaseFileFault, match="holds more than"):
        read_cases(bomb, now=NOW)
