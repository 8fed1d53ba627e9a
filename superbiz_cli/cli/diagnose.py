"""`superbiz diagnose`: from the command line to one request."""

from __future__ import annotations

import re
import sys
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Annotated

import typer

from superbiz_cli.cli.options import Invocation, contradiction
from superbiz_cli.errors import ErrorCode, SuperbizError

if TYPE_CHECKING:
    from superbiz_cli.settings import Override

_SESSION = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,63}")

AtOption = Annotated[
    str | None, typer.Option("--at", metavar="TIME", help="When it happened; nothing later is looked at.")
]
SinceOption = Annotated[
    str | None,
    typer.Option(
        "--since", metavar="TIME", help="Begin of the window: 10:00, or 2h before now or before --at."
    ),
]
UntilOption = Annotated[
    str | None, typer.Option("--until", metavar="TIME", help="End of the window; now if not given.")
]
ModelOption = Annotated[
    str | None,
    typer.Option("--model", "-m", metavar="NAME", help="Model for this run, such as openai/gpt-5."),
]
TimeoutOption = Annotated[
    float | None, typer.Option("--timeout", metavar="SECONDS", help="Deadline of the whole run.")
]
ExitZeroOption = Annotated[bool, typer.Option("--exit-zero", help="End with 0 for a safe fallback too.")]


def diagnose(
    ctx: typer.Context,
    query: Annotated[
        str | None,
        typer.Argument(metavar="[QUESTION]", help='What is wrong; "-" reads stdin.', show_default=False),
    ] = None,
    session: Annotated[
        str | None, typer.Option("--session", "-s", metavar="ID", help="Session to go on with, or to begin.")
    ] = None,
    go_on: Annotated[bool, typer.Option("--continue", "-c", help="Go on with the last session.")] = False,
    at: AtOption = None,
    since: SinceOption = None,
    until: UntilOption = None,
    skill: Annotated[
        list[str] | None,
        typer.Option("--skill", metavar="NAME", help="Use this skill; repeatable; none for no skill."),
    ] = None,
    no_memory: Annotated[
        bool, typer.Option("--no-memory", help="Know nothing of earlier runs and cases.")
    ] = False,
    model: ModelOption = None,
    timeout: TimeoutOption = None,
    exit_zero: ExitZeroOption = False,
) -> int:
    """Find out what went wrong, with the evidence for every claim.

    The question may name the time ("since 10:00", "last night at 11", "从20分钟前开始"); what of it is not
    understood is said. Text that is piped in is added to it. Without a configured model the built-in
    one is used: no key, no network.

    Examples:
      superbiz diagnose "payment service times out since 10:00"
      superbiz diagnose "checkout is slow" --since 2h --json
      tail -n 50 error.log | superbiz diagnose "what is behind this?"

    """
    invocation = Invocation.of(ctx)
    if session is not None and go_on:
        raise contradiction("--session", "--continue")
    session_id = _checked_session(session)
    invocation.streams.starting()
    loaded = invocation.load_settings(overrides=timeout_override(timeout), model=model)

    from superbiz_cli.bootstrap.port import DiagnoseRequest
    from superbiz_cli.cli.execute import Job, execute
    from superbiz_cli.cli.question import read_question
    from superbiz_cli.cli.times import stated_window

    settings = loaded.settings
    question = read_question(query, stdin=sys.stdin, max_bytes=settings.run.payload.query_bytes)
    stated = stated_window(
        query=question,
        at=at,
        since=since,
        until=until,
        now=datetime.now(UTC),
        zone_name=settings.ui.zone_name,
    )
    request = DiagnoseRequest(
        question,
        stated.window,
        session_id,
        continue_last=go_on,
        skills=tuple(skill or ()),
        use_memory=not no_memory,
        program=invocation.program,
    )
    return execute(Job(request, settings, stated, exit_zero=exit_zero), invocation)


def timeout_override(timeout: float | None) -> tuple[Override, ...]:
    """Return the layer of --timeout, if it was typed."""
    if timeout is None:
        return ()
    from superbiz_cli.settings import Override

    return (Override("run.deadline_s", timeout, "--timeout"),)


def _checked_session(session: str | None) -> str | None:
    if session is not None and not _SESSION.fullmatch(session):
        raise SuperbizError(
            ErrorCode.SESSION_INVALID,
            "the session id has characters that are not allowed, or more than 64",
            hint="letters, digits, dot, underscore and hyphen; the first one a letter or a digit",
        )
    return session
