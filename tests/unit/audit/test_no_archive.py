"""The archive that stands in before the first Run."""

from __future__ import annotations

from superbiz_cli.harness.audit.chain import LedgerTotals
from superbiz_cli.harness.audit.no_archive import NoArchive
from superbiz_cli.harness.audit.rows import PruneCount, RowCounts, RunDetails
from tests.support.audit import BEGAN, run_start, write_run
from tests.support.results import result


def test_it_takes_a_run_and_knows_nothing_of_it() -> None:
    archive = NoArchive()
    write_run(archive, "run1", "s1")
    archive.start_run(run_start("run2"))
    archive.finish_run(result("run2"), LedgerTotals())
    assert archive.recent_runs().runs == ()
    assert archive.find_run("run1") is None
    assert archive.last_success("s1") is None
    assert archive.routing_history("s1") == ()
    assert archive.latest_session() is None
    assert archive.sessions().sessions == ()
    assert archive.find_session("s1") is None
    assert archive.timeline("run1") == ()
    assert archive.details("run1") == RunDetails()
    assert archive.reasoning("run1") == ()
    assert archive.row_counts("run1") == RowCounts()
    assert archive.prune(before=BEGAN) == PruneCount()
    archive.close()
