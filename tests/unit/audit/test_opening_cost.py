"""Opening the archive is cheap: nothing is imported that is not needed."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest
from alembic.config import Config
from alembic.script import ScriptDirectory

from superbiz_cli.adapters.sql_audit import migrate
from superbiz_cli.adapters.sql_audit.archive import open_archive

PROBE = """
import sys
from pathlib import Path
from superbiz_cli.adapters.sql_audit.archive import open_archive
open_archive(Path(sys.argv[1]), redact=str).close()
print(*sorted({"alembic", "mako", "pymysql", "sqlalchemy.orm", "sqlalchemy"} & set(sys.modules)))
"""


def imported_by(code: str, *arguments: str) -> set[str]:
    ran = subprocess.run(
        [sys.executable, "-c", code, *arguments], capture_output=True, text=True, check=True, timeout=60
    )
    return set(ran.stdout.split())


def test_opening_a_migrated_archive_imports_neither_alembic_nor_a_server_driver(tmp_path: Path) -> None:
    path = tmp_path / "audit.db"
    open_archive(path, redact=str).close()
    assert imported_by(PROBE, str(path)) == {"sqlalchemy"}


@pytest.mark.parametrize("module", ["archive", "replay", "ledger", "no_archive"])
def test_the_harness_side_of_the_audit_imports_no_database(module: str) -> None:
    code = f"import sys, superbiz_cli.harness.audit.{module}; print(*{{'sqlalchemy'}} & set(sys.modules))"
    assert imported_by(code) == set()


def test_the_listed_revisions_are_the_scripts(tmp_path: Path) -> None:
    config = Config()
    config.set_main_option("script_location", str(Path(migrate.__file__).with_name("migrations")))
    config.set_main_option("path_separator", "os")
    scripts = [script.revision for script in ScriptDirectory.from_config(config).walk_revisions()]
    assert tuple(reversed(scripts)) == migrate.REVISIONS


def test_the_version_is_compared_before_anything_is_migrated(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "audit.db"
    open_archive(path, redact=str).close()
    monkeypatch.setattr(migrate, "_migrate", lambda _address: pytest.fail("migrated again"))
    open_archive(path, redact=str).close()
