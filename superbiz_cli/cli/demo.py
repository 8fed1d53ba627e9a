"""`superbiz demo`: the bundled incident, created in SUPERBIZ_HOME and diagnosed."""

from __future__ import annotations

import typer

from superbiz_cli.cli.diagnose import ExitZeroOption, ModelOption, TimeoutOption, timeout_override
from superbiz_cli.cli.options import Invocation


def demo(
    ctx: typer.Context,
    model: ModelOption = None,
    timeout: TimeoutOption = None,
    exit_zero: ExitZeroOption = False,
) -> int:
    """Diagnose the bundled incident; needs no set-up, key or network.

    It is written into SUPERBIZ_HOME, with times up to now, and diagnosed by the configured model.

    Examples:
      superbiz demo
      superbiz demo --json

    """
    invocation = Invocation.of(ctx)
    invocation.streams.starting()
    loaded = invocation.load_settings(overrides=timeout_override(timeout), model=model)

    from superbiz_cli.bootstrap import prepare_demo
    from superbiz_cli.bootstrap.port import DiagnoseRequest
    from superbiz_cli.cli.execute import Job, execute
    from superbiz_cli.cli.times import StatedWindow

    incident = prepare_demo(loaded.settings)
    stated = StatedWindow(incident.window, "the bundled incident")
    request = DiagnoseRequest(incident.query, incident.window)
    return execute(Job(request, incident.settings, stated, exit_zero=exit_zero), invocation)
