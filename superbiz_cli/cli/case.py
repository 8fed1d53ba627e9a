"""`superbiz case`: earlier incidents whose causes were confirmed."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from superbiz_cli.cli.options import Format, Invocation
from superbiz_cli.errors import ErrorCode, SuperbizError

if TYPE_CHECKING:
    from superbiz_cli.harness.audit.case_library import CaseLibrary
    from superbiz_cli.harness.contract.case import Case

_ALL = 1_000_000
_MAX_SIMILAR = 10
_EXISTS = "superbiz case list shows the cases"


def list_cases(
    ctx: typer.Context,
    limit: Annotated[
        int, typer.Option("--limit", "-n", metavar="N", help="At most N cases; -1 for all.")
    ] = 20,
    like: Annotated[
        str | None, typer.Option("--like", metavar="QUESTION", help="Only cases that a run would be given.")
    ] = None,
) -> int:
    """List cases, the newest first, or the ones that are similar to a question.

    Examples:
      superbiz case list
      superbiz case list --like "payments time out"

    """
    invocation = Invocation.of(ctx)
    loaded = invocation.load_settings()

    from superbiz_cli.bootstrap import open_archive
    from superbiz_cli.cli.case_view import case_listing, similar_listing
    from superbiz_cli.cli.rows import write_listing
    from superbiz_cli.harness.application.similarity import THRESHOLD
    from superbiz_cli.harness.application.terms import terms_of

    with open_archive(loaded.settings) as archive:
        library = archive.case_library()
        if like is not None:
            found = library.most_similar(terms_of(like), limit=_MAX_SIMILAR, threshold=THRESHOLD)
            write_listing(similar_listing(found), invocation)
            return 0
        page = library.page(limit=_ALL if limit < 0 else max(1, limit))
    write_listing(case_listing(page.cases, loaded.settings.ui.zone_name), invocation)
    if page.more:
        invocation.streams.note(f"note: only the newest {len(page.cases)} cases; pass --limit -1 for all")
    return 0


def show_case(
    ctx: typer.Context,
    case: Annotated[str, typer.Argument(metavar="CASE", help="Id of the case, or its beginning.")],
) -> int:
    """Show one case.

    Examples:
      superbiz case show case-7k2m9xqa
      superbiz case show 7k2m --json

    """
    invocation = Invocation.of(ctx)
    loaded = invocation.load_settings()

    from superbiz_cli.bootstrap import open_archive
    from superbiz_cli.cli.case_view import write_case

    with open_archive(loaded.settings) as archive:
        found = _find(archive.case_library(), case)
    write_case(found, loaded.settings.ui.zone_name, invocation)
    return 0


def add_case(
    ctx: typer.Context,
    symptom: Annotated[
        list[str], typer.Option("--symptom", metavar="TEXT", help="What was reported or seen; repeatable.")
    ],
    root_cause: Annotated[str, typer.Option("--root-cause", metavar="TEXT", help="What it was.")],
    solution: Annotated[str, typer.Option("--solution", metavar="TEXT", help="What helped.")] = "",
    service: Annotated[
        list[str] | None, typer.Option("--service", metavar="NAME", help="Affected service; repeatable.")
    ] = None,
    document: Annotated[
        list[str] | None, typer.Option("--document", metavar="ID", help="Document that helped; repeatable.")
    ] = None,
    note: Annotated[str, typer.Option("--note", metavar="TEXT", help="What else to remember.")] = "",
) -> int:
    """Keep an incident that you know the cause of.

    Examples:
      superbiz case add --symptom "checkout is down" --root-cause "full disk" --solution "rotate logs"

    """
    invocation = Invocation.of(ctx)
    if not any(text.strip() for text in symptom) or not root_cause.strip():
        raise SuperbizError(
            ErrorCode.USAGE,
            "the symptom and the root cause must not be empty",
            hint="superbiz case add --help",
        )
    loaded = invocation.load_settings()

    from datetime import UTC, datetime

    from superbiz_cli.bootstrap import open_archive
    from superbiz_cli.cli.rows import Listing, write_listing
    from superbiz_cli.harness.application.cases import new_case_id, services_in
    from superbiz_cli.harness.contract.case import Case

    kept = Case(
        case_id=new_case_id(),
        symptoms=tuple(symptom),
        root_cause=root_cause,
        created_at=datetime.now(UTC),
        solution=solution,
        services=tuple(service or services_in([*symptom, root_cause])),
        documents=tuple(document or ()),
        note=note,
    )
    with open_archive(loaded.settings, create=True) as archive:
        archive.case_library().keep([kept])
    write_listing(Listing(("CASE",), [(kept.case_id,)], [{"case_id": kept.case_id}]), invocation)
    return 0


def remove_case(
    ctx: typer.Context,
    case: Annotated[str, typer.Argument(metavar="CASE", help="Id of the case, or its beginning.")],
) -> int:
    """Remove one case; it is never recalled again.

    Examples:
      superbiz case remove case-7k2m9xqa

    """
    invocation = Invocation.of(ctx)
    loaded = invocation.load_settings()

    from superbiz_cli.bootstrap import open_archive
    from superbiz_cli.cli.rows import Listing, write_listing

    with open_archive(loaded.settings) as archive:
        library = archive.case_library()
        found = _find(library, case)
        library.remove(found.case_id)
    write_listing(Listing(("REMOVED",), [(found.case_id,)], [{"removed": found.case_id}]), invocation)
    return 0


def export_cases(ctx: typer.Context) -> int:
    """Write all cases as one YAML document, to be reviewed and versioned like code.

    Examples:
      superbiz case export -o cases.yaml

    """
    invocation = Invocation.of(ctx)
    if invocation.format not in (Format.TEXT, Format.JSON):
        raise SuperbizError(
            ErrorCode.USAGE, "an export is YAML, or JSON with --json", hint="leave --format out"
        )
    loaded = invocation.load_settings()

    from superbiz_cli.bootstrap import open_archive, write_cases
    from superbiz_cli.cli.case_view import case_record
    from superbiz_cli.cli.streams import json_text

    with open_archive(loaded.settings) as archive:
        cases = archive.case_library().page(limit=_ALL).cases
    if invocation.format is Format.JSON:
        invocation.streams.result(json_text([case_record(case) for case in cases]))
    else:
        invocation.streams.result(write_cases(cases))
    return 0


def import_cases(
    ctx: typer.Context,
    file: Annotated[str, typer.Argument(metavar="FILE", help='File of an export; "-" reads stdin.')],
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Only check the file.")] = False,
) -> int:
    """Keep the cases of a YAML file; one with a known id takes that one's place.

    Examples:
      superbiz case import cases.yaml --dry-run

    """
    invocation = Invocation.of(ctx)
    loaded = invocation.load_settings()

    from superbiz_cli.bootstrap import open_archive, read_cases
    from superbiz_cli.cli.rows import Listing, write_listing
    from superbiz_cli.harness.audit.case_library import KeptCount

    cases = read_cases(file)
    count = KeptCount()
    if not dry_run:
        with open_archive(loaded.settings, create=True) as archive:
            count = archive.case_library().keep(cases)
    record = {
        "cases": len(cases),
        "dry_run": dry_run,
        "added": count.added,
        "replaced": count.replaced,
        "unchanged": count.unchanged,
    }
    cells = [(str(len(cases)), str(count.added), str(count.replaced), str(count.unchanged))]
    write_listing(Listing(("CASES", "ADDED", "REPLACED", "UNCHANGED"), cells, [record]), invocation)
    return 0


def _find(library: CaseLibrary, case_id: str) -> Case:
    """Return the case of this id or unique beginning. Raises SuperbizError."""
    from superbiz_cli.harness.audit.case_library import AmbiguousCase

    found = library.find(case_id)
    match found:
        case None:
            raise SuperbizError(ErrorCode.NOT_FOUND, f"there is no case '{case_id}'", hint=_EXISTS)
        case AmbiguousCase():
            raise SuperbizError(
                ErrorCode.AMBIGUOUS,
                f"more than one case begins with '{case_id}'",
                hint=f"write more of it: {', '.join(found.case_ids)}",
            )
        case _:
            return found
