"""Folders of skills: which one wins, and what a broken one does."""

from __future__ import annotations

from pathlib import Path

import pytest

from superbiz_cli import assets
from superbiz_cli.adapters.skill_document import MAX_DOCUMENT_BYTES, SkillFault
from superbiz_cli.adapters.skill_files import load_skill, load_skills


def put(root: Path, name: str, description: str = "d", *, front: str | None = None) -> Path:
    folder = root / name
    folder.mkdir(parents=True)
    text = front or f"---\nname: {name}\ndescription: {description}\n---\n"
    (folder / "SKILL.md").write_text(text)
    return folder


def test_the_nearer_folder_wins(tmp_path: Path) -> None:
    put(tmp_path / "near", "a", "near")
    put(tmp_path / "far", "a", "far")
    put(tmp_path / "far", "b", "far")
    library = load_skills([tmp_path / "near", tmp_path / "far"])
    assert [(skill.name, skill.description) for skill in library.skills] == [("a", "near"), ("b", "far")]
    assert library.faults == ()
    found = library.find("b")
    assert found is not None
    assert found.origin == str(tmp_path / "far" / "b" / "SKILL.md")
    assert library.find("c") is None


def test_a_broken_skill_is_reported_and_hides_the_farther_one(tmp_path: Path) -> None:
    put(tmp_path / "near", "a", front="---\nname: [\n---\n")
    put(tmp_path / "far", "a", "far")
    library = load_skills([tmp_path / "near", tmp_path / "far"])
    assert library.skills == ()
    assert [fault.origin for fault in library.faults] == [str(tmp_path / "near" / "a" / "SKILL.md")]


def test_a_missing_root_holds_nothing(tmp_path: Path) -> None:
    assert load_skills([tmp_path / "absent"]).skills == ()


def test_the_working_directory_is_not_searched(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    put(tmp_path / "skills", "evil")
    put(tmp_path, "evil-too")
    monkeypatch.chdir(tmp_path)
    assert load_skills([]).skills == ()
    assert load_skills([assets.skills_root()]).find("evil") is None


def test_folders_without_a_skill_and_loose_files_are_passed_over(tmp_path: Path) -> None:
    put(tmp_path, "a")
    (tmp_path / "empty").mkdir()
    (tmp_path / "README.md").write_text("x")
    assert [skill.name for skill in load_skills([tmp_path]).skills] == ["a"]


def test_the_name_must_be_that_of_the_folder(tmp_path: Path) -> None:
    folder = put(tmp_path, "a", front="---\nname: b\ndescription: d\n---\n")
    with pytest.raises(SkillFault, match="must be the name of its folder, a"):
        load_skill(folder)


def test_a_file_that_is_not_text_or_too_large_is_refused(tmp_path: Path) -> None:
    folder = put(tmp_path, "a")
    (folder / "SKILL.md").write_bytes(b"\xff\xfe\x00")
    with pytest.raises(SkillFault, match="not UTF-8"):
        load_skill(folder)
    (folder / "SKILL.md").write_bytes(b"x" * (MAX_DOCUMENT_BYTES + 1))
    with pytest.raises(SkillFault, match="larger than"):
        load_skill(folder)


def test_an_unreadable_file_is_named(tmp_path: Path) -> None:
    with pytest.raises(SkillFault, match="cannot be read"):
        load_skill(tmp_path / "absent")


def test_an_inconsistent_skill_does_not_load(tmp_path: Path) -> None:
    front = (
        "---\nname: a\ndescription: d\nplan: [{id: s, tool: query_logs, input: {query: x}}]\n"
        "findings: [{id: f, when: {all: [nothing]}, statement: s}]\n---\n"
    )
    with pytest.raises(SkillFault, match=r"findings\[0\].when: nothing"):
        load_skill(put(tmp_path, "a", front=front))


def test_every_shipped_skill_loads_and_has_its_sections() -> None:
    library = load_skills([assets.skills_root()])
    assert library.faults == ()
    assert library.skills
    for skill in library.skills:
        sections = ["Workflow", "Required Evidence", "Stop Conditions", "Report Rules", "Eval Anchor"]
        places = [skill.text.find(f"\n## {section}\n") for section in sections]
        assert -1 not in places, skill.name
        assert places == sorted(places), skill.name
        assert skill.plan, skill.name
        assert skill.findings, skill.name
        assert any(trigger.isascii() for trigger in skill.triggers), skill.name
        assert any(not trigger.isascii() for trigger in skill.triggers), skill.name


def test_every_shipped_finding_is_worded_in_both_languages() -> None:
    for skill in load_skills([assets.skills_root()]).skills:
        for finding in skill.findings:
            assert finding.statement.zh, (skill.name, finding.id)
            assert all(text.zh for text in (*finding.actions, *finding.advice)), (skill.name, finding.id)


def test_two_shipped_skills_fit_into_the_prompt_together() -> None:
    lengths = sorted(len(skill.guide) for skill in load_skills([assets.skills_root()]).skills)
    assert sum(lengths[-2:]) <= 12_000
