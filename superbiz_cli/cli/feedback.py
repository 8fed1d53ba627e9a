"""`superbiz feedback`: what a person says of a run. A helpful diagnosis becomes a case."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from superbiz_cli.cli.completion import complete_run
from superbiz_cli.cli.options import Invocation, contradiction
from superbiz_cli.errors import ErrorCode, SuperbizError

if TYPE_CHECKING:
    from superbiz_cli.harness.audit.case_library import CaseLibrary, Feedback
    from superbiz_cli.harness.audit.rows import StoredRun


def feedback(
    ctx: typer.Context,
    run: Annotated[
        str,
        typer.Argument(metavar="RUN", help="Id of the run, or its beginning.", autocompletion=complete_run),
    ],
    helpful: Annotated[bool, typer.Option("--helpful", help="It was right; keep it as a case.")] = False,
    wrong: Annotated[bool, typer.Option("--wrong", help="It was wrong; never recall it.")] = False,
    note: Annotated[str, typer.Option("--note", metavar="TEXT", help="What else to remember.")] = "",
    root_cause: Annotated[
        str, typer.Option("--root-cause", metavar="TEXT", help="The cause in your words.")
    ] = "",
    solution: Annotated[str, typer.Option("--solution", metavar="TEXT", help="What helped.")] = "",
) -> int:
    """Say whether a run was right; a helpful diagnosis becomes a case.

    Cases are given to later runs as hints, when they are similar. What you say last of a run counts.

    Examples:
      superbiz feedback 7f3k --helpful --solution "index on payments.memo"
      superbiz feedback 7f3k --wrong --note "it was the network"

    """
    invocation = Invocation.of(ctx)
    if helpful and wrong:
        raise contradiction("--helpful", "--wrong")
    if not helpful and not wrong:
        raise SuperbizError(
            ErrorCode.USAGE, "say whether the run was right", hint="give either --helpful or --wrong"
        )
    loaded = invocation.load_settings()

    from datetime import UTC, datetime

    from superbiz_cli.bootstrap import open_archive
    from superbiz_cli.cli.rows import Listing, write_listing
    from superbiz_cli.cli.trace import find_run
    from superbiz_cli.harness.audit.case_library import Feedback, Verdict

    with open_archive(loaded.settings) as archive:
        stored = find_run(archive, run)
        given = Feedback(
            run_id=stored.summary.run_id,
            verdict=Verdict.HELPFUL if helpful else Verdict.WRONG,
            given_at=datetime.now(UTC),
            note=note,
            root_cause=root_cause,
            solution=solution,
        )
        case_id, effect = _keep(archive.case_library(), stored, given)
    record = {"run_id": given.run_id, "verdict": given.verdict.value, "case_id": case_id, "case": effect}
    cells = [(given.run_id, given.verdict.value, case_id or "", effect)]
    write_listing(Listing(("RUN", "VERDICT", "CASE", ""), cells, [record]), invocation)
    if helpful and case_id is None:
        invocation.streams.note(
            "note: only a released diagnosis becomes a case; superbiz case add keeps what you know of it"
        )
    return 0


def _keep(library: CaseLibrary, stored: StoredRun, given: Feedback) -> tuple[str | None, str]:
    """Keep the feedback and what follows from it for the case of the run. Returns (case id, effect)."""
    from superbiz_cli.harness.application.cases import case_from, new_case_id
    from superbiz_cli.harness.audit.case_library import Verdict

    known = library.case_of_run(given.run_id)
    library.give_feedback(given)
    if given.verdict is Verdict.WRONG:
        return (known.case_id, "removed") if known else (None, "none")
    result = stored.result()
    case = result and case_from(
        result,
        case_id=known.case_id if known else new_case_id(),
        confirmed_at=given.given_at,
        root_cause=given.root_cause,
        solution=given.solution,
        note=given.note,
    )
    if not case:
        return None, "none"
    library.keep([case])
    return case.case_id, "replaced" if known else "added"
