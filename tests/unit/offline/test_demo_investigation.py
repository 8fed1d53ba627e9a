"""The bundled incident, investigated by the offline model over its real files."""

from __future__ import annotations

import json
from datetime import datetime
from pathlib import Path

import pytest

from superbiz_cli.adapters.offline.judge import unsupported_literal
from superbiz_cli.demo.incident import DemoIncident, create_incident
from superbiz_cli.harness.contract.status import AnalysisKind
from superbiz_cli.harness.contract.tool_call import SourceType
from tests.support.offline import Investigation, investigate_demo

NOW = datetime.fromisoformat("2026-11-30T10:24:31+08:00")


@pytest.fixture(scope="module")
def incident(tmp_path_factory: pytest.TempPathFactory) -> DemoIncident:
    return create_incident(tmp_path_factory.mktemp("incident"), now=NOW)


@pytest.fixture(scope="module")
def solved(incident: DemoIncident) -> Investigation:
    return investigate_demo(incident)


@pytest.fixture(scope="module")
def unsolved(incident: DemoIncident) -> Investigation:
    return investigate_demo(incident, without=incident.decisive_log)


def test_the_cause_is_proven_and_every_reference_holds(solved: Investigation) -> None:
    assert solved.draft.conclusion is not None
    assert "connection pool of payment-service is exhausted by slow statements" in (
        solved.draft.conclusion.text or ""
    )
    assert len(solved.verified.evidence) >= 3
    assert {item.source_type for item in solved.verified.evidence} == {SourceType.LOGS}


def test_at_least_three_log_facts_are_cited(solved: Investigation) -> None:
    normal = [item for item in solved.draft.analysis or () if item.kind is AnalysisKind.NORMAL]
    assert len({item.text for item in normal}) >= 3


def test_the_offline_judge_supports_the_draft(solved: Investigation) -> None:
    assert solved.verdict["verdict"] == "SUPPORTED"


def test_numbers_agree_with_the_ground_truth(solved: Investigation, incident: DemoIncident) -> None:
    truth = json.loads(incident.ground_truth.read_text())
    conclusion = (solved.draft.conclusion and solved.draft.conclusion.text) or ""
    assert f"({truth['signals']['refused_connections']} times)" in conclusion
    assert f"{truth['signals']['pool_size']} of {truth['signals']['pool_size']} connections" in conclusion


def test_the_old_error_of_the_gateway_is_named_as_background(solved: Investigation) -> None:
    background = [text for text in solved.texts if "signature mismatch" in text]
    assert background
    assert "does not explain how that began" in background[0]


def test_a_step_that_changes_something_asks_for_confirmation(solved: Investigation) -> None:
    assert solved.draft.action_plan
    assert all(step.requires_human_confirmation for step in solved.draft.action_plan)


def test_the_limits_name_the_windows_and_the_model(solved: Investigation) -> None:
    assert solved.draft.limitations is not None
    assert "2026-11-30 10:02–10:24 +08:00" in solved.draft.limitations.checked_scope
    assert any("offline model" in caveat for caveat in solved.draft.limitations.caveats)


def test_without_the_decisive_log_no_cause_is_named(unsolved: Investigation) -> None:
    assert unsolved.draft.conclusion is None
    assert not unsolved.draft.action_plan
    assert any("Read timed out after 5000 ms" in text for text in unsolved.texts)
    limits = unsolved.draft.limitations
    assert limits is not None
    assert any("No line written by a service like payment" in line for line in limits.missing_info)


def test_without_the_decisive_log_its_absence_is_a_negative_observation(unsolved: Investigation) -> None:
    negative = [
        item for item in unsolved.draft.analysis or () if item.kind is AnalysisKind.NEGATIVE_OBSERVATION
    ]
    assert any((item.text or "").endswith("matched the search: pool connection") for item in negative)
    assert unsolved.verified.evidence


def test_a_chinese_question_gets_a_chinese_draft(incident: DemoIncident) -> None:
    investigation = investigate_demo(incident, question=incident.question_zh)
    conclusion = (investigation.draft.conclusion and investigation.draft.conclusion.text) or ""
    assert "连接池被慢语句耗尽" in conclusion
    assert all(any("一" <= char <= "鿿" for char in text) for text in investigation.texts)
    assert "HikariPool-1 - Connection is not available" in "".join(investigation.texts)
    assert investigation.verdict["verdict"] == "SUPPORTED"


@pytest.mark.parametrize("which", ["solved", "unsolved"])
def test_every_literal_of_an_item_is_in_what_it_cites(which: str, request: pytest.FixtureRequest) -> None:
    investigation: Investigation = request.getfixturevalue(which)
    for item in investigation.draft.analysis or ():
        cited = [
            json.dumps(evidence.payload, ensure_ascii=False).replace('\\"', '"').replace("\\n", "\n")
            for evidence in investigation.verified.evidence
            if evidence.tool_call_id in (item.tool_call_ids or ())
        ]
        assert cited
        assert unsupported_literal(item.text or "", "\n".join(cited)) is None


def test_every_non_empty_observation_is_rated_in_the_next_call(solved: Investigation) -> None:
    assert solved.model.calls[0]["previous_observation"] is None
    ratings = [call["previous_observation"] for call in solved.model.calls[1:]]
    assert all(rating["information_gain"] == "GAINED" for rating in ratings)
    assert len({rating["tool_call_id"] for rating in ratings}) == len(ratings)


def test_the_same_conversation_gets_the_same_reply(solved: Investigation, incident: DemoIncident) -> None:
    again = investigate_demo(incident)
    assert [call["input"] for call in again.model.calls] == [call["input"] for call in solved.model.calls]
    assert again.texts == solved.texts


def test_the_collection_leaves_half_of_the_token_budget_to_the_judge(solved: Investigation) -> None:
    assert solved.run.budget.input_tokens < 70_000


def test_the_incident_can_be_made_at_any_hour(tmp_path: Path) -> None:
    """Around midnight the window spans two dates."""
    incident = create_incident(tmp_path, now=datetime.fromisoformat("2027-01-01T00:09:00+00:00"))
    investigation = investigate_demo(incident)
    assert investigation.draft.conclusion is not None
    assert investigation.verdict["verdict"] == "SUPPORTED"
