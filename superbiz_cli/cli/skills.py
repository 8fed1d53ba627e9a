"""`superbiz skills`: the procedures that guide a diagnosis."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from superbiz_cli.cli.options import Format, Invocation
from superbiz_cli.errors import ErrorCode, ExitCode, SuperbizError

if TYPE_CHECKING:
    from superbiz_cli.adapters.skill_files import SkillLibrary

_LINT = "superbiz skills lint says what is wrong"


def list_skills(
    ctx: typer.Context,
    like: Annotated[
        str | None,
        typer.Option("--like", metavar="QUESTION", help="Only skills that this question would activate."),
    ] = None,
) -> int:
    """List the skills, or the ones that a question activates.

    Examples:
      superbiz skills list
      superbiz skills list --like "the pool is exhausted"

    """
    invocation = Invocation.of(ctx)
    loaded = invocation.load_settings()

    from superbiz_cli.bootstrap import skill_library, skills_like, source_of
    from superbiz_cli.cli.rows import write_listing
    from superbiz_cli.cli.skill_view import SkillRow, skill_listing

    library = skill_library(loaded.settings)
    chosen = library.skills
    if like is not None:
        matching = skills_like(loaded.settings, like)
        chosen = matching.skills
        if matching.problem:
            invocation.streams.note(f"note: skills were chosen by words only. {matching.problem}")
    rows = [SkillRow(skill, source_of(skill, loaded.settings)) for skill in chosen]
    write_listing(skill_listing(rows), invocation)
    _say_broken(library, invocation)
    return 0


def show_skill(
    ctx: typer.Context,
    skill: Annotated[str, typer.Argument(metavar="SKILL", help="Name of the skill.")],
) -> int:
    """Show one skill: what activates it, its plan and its text.

    Examples:
      superbiz skills show diagnose-mysql-connection-pool

    """
    invocation = Invocation.of(ctx)
    loaded = invocation.load_settings()

    from superbiz_cli.bootstrap import named_skill, skill_library, source_of
    from superbiz_cli.cli.skill_view import SkillRow, write_skill

    found = named_skill(skill_library(loaded.settings), skill)
    write_skill(SkillRow(found, source_of(found, loaded.settings)), invocation)
    return 0


def lint(
    ctx: typer.Context,
    paths: Annotated[
        list[Path] | None,
        typer.Argument(metavar="[PATH]...", help="A skill or a folder of skills; all skills if not given."),
    ] = None,
) -> int:
    """Say what is wrong with skills, and where.

    Ends with 1 if one of them cannot be used.

    Examples:
      superbiz skills lint
      superbiz skills lint ./my-skills/diagnose-dns

    """
    invocation = Invocation.of(ctx)
    loaded = invocation.load_settings()

    from superbiz_cli.bootstrap import lint_skills
    from superbiz_cli.cli.rows import Listing, write_listing

    findings = lint_skills(loaded.settings, tuple(paths or ()))
    cells = [(one.severity.value, one.key, one.problem, one.origin) for one in findings]
    records = [
        {"severity": one.severity.value, "file": one.origin, "key": one.key, "problem": one.problem}
        for one in findings
    ]
    header = ("SEVERITY", "WHERE", "PROBLEM", "FILE")
    write_listing(Listing(header, cells, records, nothing="nothing is wrong"), invocation)
    is_broken = any(one.severity.value == "ERROR" for one in findings)
    return ExitCode.FAILED if is_broken else ExitCode.SUCCESS


def draft(
    ctx: typer.Context,
    from_cases: Annotated[
        str, typer.Option("--from-cases", metavar="TOPIC", help="What the cases are about.")
    ],
    model: Annotated[
        bool,
        typer.Option("--model/--no-model", help="Let the guard model polish the draft, if there is one."),
    ] = True,
) -> int:
    """Write a proposal for a skill from similar cases, for a person to complete.

    It is written to stdout and never activated by itself: put it into a folder of your skills when it
    is right.

    Examples:
      superbiz skills draft --from-cases "mysql pool" -o SKILL.md

    """
    invocation = Invocation.of(ctx)
    if invocation.format is Format.NDJSON:
        raise SuperbizError(ErrorCode.USAGE, "a draft is one document", hint="leave --ndjson out")
    loaded = invocation.load_settings()

    from superbiz_cli.bootstrap import draft_from_cases
    from superbiz_cli.cli.streams import json_text

    drafted = draft_from_cases(
        loaded.settings,
        from_cases,
        use_model=model,
        warn=lambda text: invocation.streams.note(f"note: {text}"),
    )
    if invocation.format is Format.JSON:
        record = {
            "name": drafted.name,
            "cases": list(drafted.case_ids),
            "polished": drafted.polished,
            "text": drafted.text,
        }
        invocation.streams.result(json_text(record))
    else:
        invocation.streams.result(drafted.text)
    return 0


def _say_broken(library: SkillLibrary, invocation: Invocation) -> None:
    count = len(library.faults)
    if count:
        plural = "skill is" if count == 1 else "skills are"
        invocation.streams.note(f"note: {count} {plural} broken and not used; {_LINT}")
