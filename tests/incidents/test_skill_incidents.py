"""Every shipped skill on its incident: selected, proven, supported; unproven without the decisive file."""

from __future__ import annotations

from pathlib import Path

import pytest

from superbiz_cli import assets
from superbiz_cli.adapters.skill_files import load_skills
from superbiz_cli.harness.application.skills import match_skills
from superbiz_cli.harness.guard.claims import check_claims
from tests.support.incidents import Incident, load_incidents
from tests.support.offline import Investigation, investigate

INCIDENTS = load_incidents()
each = pytest.mark.parametrize("incident", INCIDENTS, ids=lambda incident: incident.name)


def solve(incident: Incident, folder: Path, question: str, *, without: str | None = None) -> Investigation:
    library = load_skills([assets.skills_root()])
    return investigate(
        question,
        incident.sources(folder, without=without),
        until=incident.until,
        since=incident.since,
        skills=[skill.name for skill in match_skills(question, library.skills)],
        timezone="Asia/Shanghai",
    )


def test_every_shipped_skill_has_its_incident() -> None:
    shipped = {skill.name for skill in load_skills([assets.skills_root()]).skills}
    assert shipped == {incident.skill for incident in INCIDENTS}


@each
@pytest.mark.parametrize("language", ["en", "zh"])
def test_the_skill_is_selected_by_the_question(incident: Incident, language: str) -> None:
    question = incident.question if language == "en" else incident.question_zh
    selected = match_skills(question, load_skills([assets.skills_root()]).skills)
    assert selected
    assert selected[0].name == incident.skill


@each
@pytest.mark.parametrize("language", ["en", "zh"])
def test_the_finding_is_reached_and_passes_every_guard(
    incident: Incident, language: str, tmp_path: Path
) -> None:
    question = incident.question if language == "en" else incident.question_zh
    solved = solve(incident, tmp_path, question)
    conclusion = solved.draft.conclusion
    assert conclusion is not None, solved.searches
    text = conclusion.text or ""
    assert incident.finding in text if language == "en" else any("一" <= char <= "鿿" for char in text)
    assert solved.verdict["verdict"] == "SUPPORTED", solved.verdict
    verified = solved.verified
    assert check_claims(solved.draft, verified.evidence, verified.ref_of, query=question) == ()


@each
def test_without_the_decisive_file_no_cause_is_named(incident: Incident, tmp_path: Path) -> None:
    unsolved = solve(incident, tmp_path, incident.question, without=incident.decisive)
    assert unsolved.draft.conclusion is None
    assert unsolved.verified.evidence
