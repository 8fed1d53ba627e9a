"""`skills` and `--skill`: which procedures there are, which one is used, what is wrong with them."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from superbiz_cli.adapters.skill_document import parse_skill
from tests.support.flow_turns import diagnosis, says
from tests.support.flow_world import World
from tests.support.overheard import overhearing
from tests.support.run_cli import run_cli

POOL = "diagnose-mysql-connection-pool"
FOREIGN = "---\nname: {name}\ndescription: Use when zebras are striped.\n---\n\n{text}\n"


def write_skill(root: Path, name: str, text: str = "Count the stripes.") -> Path:
    folder = root / name
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "SKILL.md").write_text(FOREIGN.format(name=name, text=text), encoding="utf-8")
    return folder


@pytest.fixture
def world(tmp_path: Path, superbiz_home: Path) -> World:
    return World(tmp_path / "world", superbiz_home)


def active(world: World, *flags: str, query: str = "payment service times out") -> list[str]:
    """The skills in the agent's instructions."""
    with overhearing() as heard:
        flow = world.ask(diagnosis(), *flags, query=query)
    assert flow.code == 0, flow.err
    named = [line.split('"')[1] for line in heard.system().splitlines() if line.startswith("<skill name=")]
    [started] = flow.events("RUN_STARTED")
    assert started["skills"] == ",".join(named)
    if named:
        assert f"skill         {named[0]}"[:30] in flow.err
    return named


def test_the_shipped_skills_are_listed_and_shown() -> None:
    listed = run_cli("skills", "list", "--json").json()
    assert len(listed) >= 12
    assert {row["source"] for row in listed} == {"built in"}
    shown = run_cli("skills", "show", POOL)
    assert shown.out.startswith(POOL)
    assert "## Workflow" in shown.out
    assert "triggers:" not in shown.out
    whole = run_cli("skills", "show", POOL, "--format", "markdown").out
    assert parse_skill(whole, origin="x").name == POOL


def test_the_skills_of_a_question_are_listed_as_a_run_would_use_them(world: World) -> None:
    query = "mysql connection pool exhausted"
    listed = [row["name"] for row in run_cli("skills", "list", "--like", query, "--json").json()]
    assert listed == active(world, query=query)
    assert run_cli("skills", "list", "--like", "what is for lunch?", "--json").json() == []


def test_the_nearest_skill_wins_and_the_working_directory_is_not_searched(
    world: World, tmp_path: Path, superbiz_home: Path
) -> None:
    write_skill(superbiz_home / "skills", "zebra", "from the user")
    write_skill(tmp_path / "named", "zebra", "from the settings")
    write_skill(tmp_path / "cwd" / "skills", "hostile")
    world.settings["skills"] = {"paths": [str(tmp_path / "named")]}
    config = ("--config", str(world.config))
    done = run_cli("skills", "list", "--json", *config, folder=tmp_path / "cwd")
    rows = {row["name"]: row["source"] for row in done.json()}
    assert rows["zebra"] == str(tmp_path / "named")
    assert "hostile" not in rows
    assert "from the settings" in run_cli("skills", "show", "zebra", *config).out
    assert "from the user" in run_cli("skills", "show", "zebra").out


def test_the_matching_skill_guides_the_run(world: World) -> None:
    assert active(world) == [POOL]


def test_named_skills_take_the_place_of_the_matching_one(world: World) -> None:
    names = ["diagnose-disk-full", "diagnose-redis-memory"]
    assert active(world, "--skill", names[1], "--skill", names[0]) == [names[1], names[0]]
    assert active(world, "--skill", names[0], "--skill", names[0]) == [names[0]]


def test_no_skill_can_be_asked_for(world: World) -> None:
    assert active(world, "--skill", "none") == []


@pytest.mark.parametrize(
    ("flags", "problem"),
    [
        (("--skill", "nothing"), "there is no skill 'nothing'"),
        (("--skill", "none", "--skill", POOL), "excludes every other"),
        (("--skill", "broken"), "skills lint"),
        (("--skill", "long-1", "--skill", "long-2"), "more than the 12000 allowed"),
    ],
)
def test_skills_that_cannot_be_used_are_refused_before_anything_is_spent(
    world: World, superbiz_home: Path, flags: tuple[str, ...], problem: str
) -> None:
    skills = superbiz_home / "skills"
    (write_skill(skills, "broken") / "SKILL.md").write_text("no front matter")
    for name in ("long-1", "long-2"):
        write_skill(skills, name, "x" * 7_000)
    flow = world.ask(diagnosis(), *flags)
    assert (flow.code, flow.out) == (2, "")
    assert problem in flow.err
    assert not world.audit_file.exists() or not world.archive().recent_runs().runs


def test_the_lint_names_file_key_and_problem_and_ends_with_1(superbiz_home: Path) -> None:
    folder = write_skill(superbiz_home / "skills", "broken")
    (folder / "SKILL.md").write_text("---\nname: broken\n---\n")
    done = run_cli("skills", "lint", "--json")
    assert done.code == 1
    [finding] = done.json()
    assert finding == {
        "severity": "ERROR",
        "file": str(folder / "SKILL.md"),
        "key": "description",
        "problem": "is missing",
    }
    assert "1 skill is broken" in run_cli("skills", "list").err


def test_the_lint_of_one_folder_or_of_a_folder_of_skills(tmp_path: Path) -> None:
    folder = write_skill(tmp_path / "mine", "zebra")
    for path in (folder, folder / "SKILL.md", tmp_path / "mine"):
        done = run_cli("skills", "lint", str(path), "--json")
        assert done.code == 0
        assert {finding["severity"] for finding in done.json()} == {"WARNING"}
    assert run_cli("skills", "lint", str(tmp_path)).code == 2


def test_the_shipped_skills_pass_the_lint() -> None:
    done = run_cli("skills", "lint", "--json")
    assert (done.code, done.json()) == (0, [])


def add_pool_cases() -> None:
    for service in ("payment-service", "order-service"):
        flags = ("--root-cause", "slow statements hold the connections", "--solution", "add the index")
        run_cli("case", "add", "--symptom", f"{service}: mysql connection pool exhausted", *flags)


def test_a_draft_from_cases_goes_to_stdout_and_is_activated_by_nobody(superbiz_home: Path) -> None:
    add_pool_cases()
    before = run_cli("skills", "list", "--json").json()
    drafted = run_cli("skills", "draft", "--from-cases", "mysql pool")
    assert drafted.code == 0
    skill = parse_skill(drafted.out, origin="draft")
    assert skill.name == "diagnose-mysql-pool"
    assert "slow statements hold the connections" in drafted.out
    assert run_cli("skills", "list", "--json").json() == before
    assert not (superbiz_home / "skills").exists()
    assert run_cli("skills", "draft", "--from-cases", "mysql pool").out == drafted.out


def test_a_draft_about_nothing_known_is_refused(superbiz_home: Path) -> None:
    add_pool_cases()
    done = run_cli("skills", "draft", "--from-cases", "expired certificates", "--json")
    assert done.code == 2
    assert done.json()["error"]["code"] == "NOT_FOUND"


def polished(
    world: World, *turns: dict[str, object], flags: tuple[str, ...] = ()
) -> tuple[dict[str, object], str]:
    add_pool_cases()
    world.settings["model.guard"] = {"name": f"scripted:{world.script_file({'skill': list(turns)})}"}
    done = run_cli(
        "skills", "draft", "--from-cases", "mysql pool", "--config", str(world.config), "--json", *flags
    )
    assert done.code == 0, done.err
    return dict(done.json()), done.err


REPLY = {
    "description": "Use when the pool of a service is empty.",
    "workflow": ["Compare the pool with the slow query log."],
    "required_evidence": ["The waits with their count."],
    "stop_conditions": ["The holder is known."],
    "report_rules": ["Name the statement."],
}


def test_the_guard_model_polishes_the_prose_of_a_draft(world: World) -> None:
    draft, _ = polished(world, says(REPLY))
    assert draft["polished"] is True
    assert "1. Compare the pool with the slow query log.\n" in str(draft["text"])
    assert parse_skill(str(draft["text"]), origin="x").description == REPLY["description"]


def test_a_model_without_a_usable_answer_leaves_the_plain_draft(world: World) -> None:
    draft, err = polished(world, says("I would rather not."), says({**REPLY, "plan": []}))
    assert draft["polished"] is False
    assert "not polished" in err
    assert "## Workflow" in str(draft["text"])


def test_the_model_can_be_left_out(world: World) -> None:
    draft, err = polished(world, says(REPLY), flags=("--no-model",))
    assert draft["polished"] is False
    assert "polished" not in err


def test_a_case_reaches_the_polishing_model_as_data(world: World) -> None:
    with overhearing() as heard:
        polished(world, says(REPLY))
    [request] = heard
    assert [message.role for message in request.messages] == ["system", "user"]
    told = json.loads(request.messages[1].content)
    assert set(told) == {"task", "topic", "cases", "draft"}
    assert told["cases"][0]["cause"] == "slow statements hold the connections"
