"""A diagnosis as a process of its own, against a scripted endpoint."""

from __future__ import annotations

import os
import subprocess

from tests.support.flow_world import AT, QUESTION, Flow, World
from tests.support.hostile_play import KEY, KEY_NAME, use_endpoint
from tests.support.hostile_server import ScriptServer
from tests.support.run_cli import PYTHON, REPOSITORY, Completed


def diagnose_over_http(world: World, server: ScriptServer) -> Flow:
    """Ask QUESTION with --json; the key of the endpoint is in the process's environment."""
    use_endpoint(world, server.url)
    world.settings["run.attempts.router"] = {"attempt_s": 60, "total_s": 90}
    command = [PYTHON, "-m", "superbiz_cli", "diagnose", QUESTION, "--at", AT, "--json"]
    ended = subprocess.run(
        [*command, "--config", str(world.config)],
        capture_output=True,
        text=True,
        timeout=100,
        check=False,
        stdin=subprocess.DEVNULL,
        cwd=REPOSITORY,
        env={**os.environ, KEY_NAME: KEY},
    )
    return Flow(Completed(ended.returncode, ended.stdout, ended.stderr), world)
