"""What the model sees of a result, and reading it again."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

import pytest

from superbiz_cli.harness.contract.status import EvidenceStatus
from superbiz_cli.harness.contract.strict import canonical_json
from superbiz_cli.harness.tool.mysql.contract import CellValue, DataSource, MysqlRequest, RawTable
from superbiz_cli.harness.tool.mysql.project import project_rows, read_rows
from superbiz_cli.harness.tool.mysql.raw import raw_response
from superbiz_cli.harness.tool.port import Projection, ProjectionFailed
from superbiz_cli.harness.tool.redact import Redactor
from tests.support.sql_shop import SECRETS, SOURCE, limited, plan

CALL_ID = "ev-abc-1"
COUNTS = "SELECT state, COUNT(*) AS n FROM tickets GROUP BY state"


def projected(
    rows: Sequence[tuple[CellValue, ...]],
    sql: str = COUNTS,
    *,
    source: DataSource = SOURCE,
    truncated: bool = False,
) -> Projection:
    made = plan(sql, source=source)
    raw = raw_response(made, RawTable(tuple(rows), truncated))
    return project_rows(MysqlRequest(source.id, sql, made), raw, tool_call_id=CALL_ID, redactor=Redactor())


def payload(projection: Projection) -> dict[str, Any]:
    value = json.loads(projection.agent_result)
    assert isinstance(value, dict)
    return value


def test_rows_keep_the_types_of_their_cells() -> None:
    projection = projected([("NEW", 3), (None, 2.5), ("", True)])

    assert projection.evidence_status is EvidenceStatus.EVIDENCE_FOUND
    assert payload(projection) == {
        "tool_call_id": CALL_ID,
        "scope": {
            "data_source": "store-ro",
            "sql": plan(COUNTS).canonical,
        },
        "evidence_status": "EVIDENCE_FOUND",
        "returned_count": 3,
        "columns": [{"name": "state", "source": "store.tickets.state"}, {"name": "n", "source": "COUNT(*)"}],
        "rows": [["NEW", 3], [None, 2.5], ["", True]],
        "truncated": False,
    }


def test_no_row_is_no_evidence() -> None:
    projection = projected([])

    assert projection.evidence_status is EvidenceStatus.NO_EVIDENCE
    assert payload(projection)["evidence_status"] == "NO_EVIDENCE"


def test_a_secret_is_hidden_also_when_it_is_null() -> None:
    rows: list[tuple[CellValue, ...]] = [("ann", "h1", 1), ("bob", None, 2)]
    projection = projected(rows, "SELECT name, password_hash p, id FROM people", source=SECRETS)

    assert payload(projection)["rows"] == [["ann", "[REDACTED]", 1], ["bob", "[REDACTED]", 2]]


def test_credentials_and_invisible_characters_in_texts_do_not_pass() -> None:
    (row,) = payload(projected([("login password=hunter2secret \u202eevil\x1b[31m", 1)]))["rows"]

    assert "hunter2secret" not in row[0]
    assert "\u202e" not in row[0]
    assert "\x1b" not in row[0]


def test_a_cell_is_clipped_after_redaction() -> None:
    (row,) = payload(projected([("x" * 50, 1)], source=limited(max_cell_chars=10)))["rows"]

    assert row[0] == "x" * 9 + "…"


def test_rows_are_dropped_from_the_end_until_the_result_fits() -> None:
    projection = projected(
        [(f"state {number}", number) for number in range(100)], source=limited(max_bytes=1_000)
    )

    seen = payload(projection)
    assert len(projection.agent_result.encode()) <= 1_000
    assert seen["rows"] == [[f"state {number}", number] for number in range(seen["returned_count"])]
    assert 0 < seen["returned_count"] < 100
    assert seen["truncated"] is True


def test_trimmed_to_nothing_is_no_evidence_and_still_too_large_fails() -> None:
    assert (
        projected([("x" * 2_000, 1)], source=limited(max_bytes=500)).evidence_status
        is EvidenceStatus.NO_EVIDENCE
    )
    with pytest.raises(ProjectionFailed):
        projected([("x", 1)], source=limited(max_bytes=10))


@pytest.mark.parametrize("raw", ["", "[]", "{}", '{"columns":[],"rows":[[1]],"truncated":false}', "nonsense"])
def test_a_raw_response_that_is_none_is_not_projected(raw: str) -> None:
    request = MysqlRequest("store-ro", COUNTS, plan(COUNTS))
    with pytest.raises(ProjectionFailed):
        project_rows(request, raw, tool_call_id=CALL_ID, redactor=Redactor())


def test_a_result_is_read_again_in_words() -> None:
    projection = projected([("NEW", 3), (None, 2)], truncated=True)

    result = read_rows(projection.agent_result, tool_call_id=CALL_ID)

    assert result.source == "store-ro: store.tickets"
    assert result.scope == "SELECT tickets.state, COUNT(*) AS n FROM store.tickets GROUP BY tickets.state"
    assert result.summary == "2 rows, more exist: state=NEW, n=3; state=NULL, n=2"
    assert result.excerpt == "state=NEW, n=3"
    assert (result.control.returned_count, result.control.truncated) == (2, True)
    assert result.control.evidence_status is EvidenceStatus.EVIDENCE_FOUND
    assert canonical_json(result.payload) == projection.agent_result


def test_an_empty_result_is_read_again_in_words() -> None:
    result = read_rows(projected([]).agent_result, tool_call_id=CALL_ID)

    assert (result.summary, result.excerpt) == ("no row (state, n)", "")


def test_one_row_is_counted_in_the_singular() -> None:
    result = read_rows(projected([(True, 1)]).agent_result, tool_call_id=CALL_ID)

    assert result.summary == "1 row: state=true, n=1"


@pytest.mark.parametrize(
    "change",
    [
        {"tool_call_id": "ev-abc-2"},
        {"evidence_status": "NO_EVIDENCE"},
        {"evidence_status": "ERROR"},
        {"returned_count": 2},
        {"columns": []},
        {"columns": [{"name": "a", "source": "s"}, {"name": "A", "source": "s"}]},
        {"columns": [{"name": "a", "source": "s"}]},
        {"rows": [["x"]]},
        {"rows": [["x", {"nested": 1}]]},
        {"rows": "x"},
        {"truncated": 1},
        {"extra": 1},
        {"scope": {"data_source": "x"}},
    ],
)
def test_a_result_that_was_changed_is_not_read(change: dict[str, Any]) -> None:
    changed = payload(projected([("NEW", 3)])) | change

    with pytest.raises(ProjectionFailed):
        read_rows(canonical_json(changed), tool_call_id=CALL_ID)


def test_a_result_in_another_spelling_is_not_read() -> None:
    agent_result = projected([("NEW", 3)]).agent_result

    for text in (agent_result + " ", agent_result.replace(":", ": "), "", "{", agent_result + agent_result):
        with pytest.raises(ProjectionFailed):
            read_rows(text, tool_call_id=CALL_ID)
