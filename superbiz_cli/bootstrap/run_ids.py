"""The ids of the newest runs, for a shell that completes a word.

A shell waits for each key press, so this reads the audit file with the standard library alone and
without the harness. What cannot be read completes to nothing.
"""

from __future__ import annotations

import os
import sqlite3
from collections.abc import Mapping
from contextlib import closing

from superbiz_cli.settings.sources import home_dir

AUDIT_FILE = "superbiz.db"
MAX_COMPLETIONS = 50
_LOCK_PATIENCE_S = 0.1
_NEWEST = """
SELECT run_id, query FROM diagnosis_run WHERE substr(run_id, 1, ?) = ?
ORDER BY started_at DESC, run_id DESC LIMIT ?
"""


def newest_run_ids(prefix: str, *, environ: Mapping[str, str] = os.environ) -> list[tuple[str, str]]:
    """Return (run id, redacted question) of the newest runs whose id begins with `prefix`.

    Only an audit file in SUPERBIZ_HOME is read; a database server is not asked for a key press.
    """
    path = home_dir(environ) / AUDIT_FILE
    try:
        with closing(
            sqlite3.connect(f"{path.absolute().as_uri()}?mode=ro", uri=True, timeout=_LOCK_PATIENCE_S)
        ) as connection:
            rows = connection.execute(_NEWEST, (len(prefix), prefix, MAX_COMPLETIONS)).fetchall()
    except (sqlite3.Error, OSError, ValueError):
        return []
    return [(str(run_id), str(query)) for run_id, query in rows]
