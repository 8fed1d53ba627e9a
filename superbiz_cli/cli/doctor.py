"""`superbiz doctor`: what is set up, what works, and what to do about the rest."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

import typer

from superbiz_cli.cli.options import Format, Invocation
from superbiz_cli.errors import ExitCode

if TYPE_CHECKING:
    from superbiz_cli.bootstrap.port import Check

_STYLE = {"ok": ("✓", "green"), "warn": ("!", "yellow"), "fail": ("✗", "red"), "skip": ("·", "dim")}


def doctor(ctx: typer.Context) -> int:
    """Check the set-up: model, stores, sources.

    Every check has a time limit; nothing is changed and no secret is shown. Ends with 4 if a
    diagnosis cannot work like this.

    Examples:
      superbiz doctor
      superbiz doctor --json

    """
    invocation = Invocation.of(ctx)
    loaded = invocation.load_settings()

    from superbiz_cli.bootstrap import examine
    from superbiz_cli.bootstrap.port import CheckStatus
    from superbiz_cli.cli.log_lines import log_lines

    checks = []
    with log_lines(lambda _: None, debug=False):
        for check in examine(loaded.settings):
            checks.append(check)
            if invocation.format is Format.TEXT:
                invocation.streams.result(_text(check, invocation))
    if invocation.format is not Format.TEXT:
        _write(checks, invocation)
    failed = any(check.status is CheckStatus.FAIL for check in checks)
    return ExitCode.UNAVAILABLE if failed else ExitCode.SUCCESS


def _text(check: Check, invocation: Invocation) -> str:
    from superbiz_cli.cli.page import Page

    page = Page(invocation.streams.result_width)
    mark, style = _STYLE[check.status]
    page.columns([((mark, style), f"{check.name:<16}", check.detail)], indent="")
    if check.fix:
        page.columns([(" ", " " * 16, f"→ {check.fix}")], indent="")
    return page.render(color=invocation.streams.result_in_color)


def _write(checks: list[Check], invocation: Invocation) -> None:
    from superbiz_cli.cli.rows import Listing, write_listing

    cells = [(check.name, check.status.value, check.detail, check.fix or "") for check in checks]
    header = ("name", "status", "detail", "fix")
    write_listing(Listing(header, cells, list(_records(checks))), invocation)


def _records(checks: list[Check]) -> Iterator[dict[str, object]]:
    for check in checks:
        yield {"name": check.name, "status": check.status.value, "detail": check.detail, "fix": check.fix}
