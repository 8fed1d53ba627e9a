"""What a shell offers where a command wants the id of a run."""

from __future__ import annotations

_MAX_HELP_CHARS = 60


def complete_run(incomplete: str) -> list[tuple[str, str]]:
    """Return the newest runs that begin like this, each with its question on one line."""
    from superbiz_cli.bootstrap.run_ids import newest_run_ids
    from superbiz_cli.harness.tool.sanitize import sanitize

    return [
        (run_id, sanitize(" ".join(query.split()))[:_MAX_HELP_CHARS])
        for run_id, query in newest_run_ids(incomplete)
    ]
