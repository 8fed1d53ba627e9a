"""From a helpful run to a case: what was reported, seen, found and done."""

from __future__ import annotations

import pytest

from superbiz_cli.harness.application.cases import case_from, new_case_id, services_in
from superbiz_cli.harness.contract.case import Case
from superbiz_cli.harness.contract.report import Answer, CitedText, ReportedAnalysis, RunResult
from superbiz_cli.harness.contract.status import AnalysisKind, Intent
from superbiz_cli.harness.contract.tool_call import SourceType, ToolName
from tests.support.cases import CONFIRMED
from tests.support.results import EVIDENCE, REPORT, failed_result, fallback_result, result


def made(run: RunResult, **said: str) -> Case | None:
    return case_from(run, case_id="case-1", confirmed_at=CONFIRMED, **said)


def test_a_released_diagnosis_becomes_a_case() -> None:
    knowledge = EVIDENCE.model_copy(
        update={
            "ref": 2,
            "tool_name": ToolName.LOOKUP_KNOWLEDGE,
            "source_type": SourceType.KNOWLEDGE,
            "source": "runbook-pool.md",
        }
    )
    assert made(result(evidence=(EVIDENCE, knowledge)), note="seen twice") == Case(
        case_id="case-1",
        symptoms=("payment service times out", "37 timeouts from 10:02."),
        root_cause="The pool is exhausted.",
        created_at=CONFIRMED,
        solution="Restart payment-service",
        services=("payment-service",),
        documents=("runbook-pool.md",),
        note="seen twice",
        run_id="run0000001",
    )


def test_what_a_person_says_takes_the_place_of_what_was_published() -> None:
    case = made(result(), root_cause="A missing index", solution=" add it ")
    assert case is not None
    assert (case.root_cause, case.solution) == ("A missing index", "add it")


def test_what_was_not_found_is_no_symptom() -> None:
    absent = ReportedAnalysis(kind=AnalysisKind.NEGATIVE_OBSERVATION, text="no deadlock", refs=(1,))
    report = REPORT.model_copy(update={"analysis": (*REPORT.analysis, absent)})
    case = made(result(report=report))
    assert case is not None
    assert "no deadlock" not in case.symptoms


@pytest.mark.parametrize(
    "run",
    [
        fallback_result(),
        failed_result(),
        result(intent=Intent.KNOWLEDGE_QUERY),
        result(
            report=None, answer=Answer(statements=(CitedText(text="x", refs=()),)), intent=Intent.SYSTEM_CHAT
        ),
    ],
    ids=["fallback", "failure", "knowledge", "answer"],
)
def test_nothing_else_becomes_a_case(run: RunResult) -> None:
    assert made(run, root_cause="I know better") is None


@pytest.mark.parametrize(
    ("text", "services"),
    [
        ("payment-service and order-api, then payment-service again", ("payment-service", "order-api")),
        ("the Payment service is slow", ("payment-service",)),
        ("支付服务超时，订单网关报错", ("支付服务", "订单网关")),
        ("the service is down", ()),
        ("at /opt/pay-service/bin or a.b-service.c", ("pay-service",)),
        ("", ()),
    ],
)
def test_services_are_found_by_how_they_are_called(text: str, services: tuple[str, ...]) -> None:
    assert services_in([text]) == services


def test_ids_are_new_each_time_and_fit_the_pattern_of_ids() -> None:
    ids = {new_case_id() for _ in range(50)}
    assert len(ids) == 50
    assert all(id_.startswith("case-") and len(id_) == 13 for id_ in ids)
