"""Cases as a list, and one case as a page. Their texts come from outside: `Page` and rows sanitise them."""

from __future__ import annotations

from collections.abc import Sequence
from zoneinfo import ZoneInfo

from superbiz_cli.cli.markdown import table
from superbiz_cli.cli.options import Format, Invocation
from superbiz_cli.cli.page import Page
from superbiz_cli.cli.rows import Listing
from superbiz_cli.cli.streams import json_text
from superbiz_cli.harness.audit.case_library import ScoredCase
from superbiz_cli.harness.contract.case import Case

_NOTHING = "no case has been kept yet; superbiz feedback RUN --helpful makes one"


def case_listing(cases: Sequence[Case], zone_name: str) -> Listing:
    """Return the rows of `case list`."""
    zone = ZoneInfo(zone_name)
    return Listing(
        header=("CASE", "CONFIRMED", "SERVICES", "REPORTED", "ROOT CAUSE"),
        cells=[
            (
                case.case_id,
                case.created_at.astimezone(zone).strftime("%Y-%m-%d"),
                ", ".join(case.services[:2]),
                _short(case.symptoms[0] if case.symptoms else ""),
                case.root_cause,
            )
            for case in cases
        ],
        records=[case_record(case) for case in cases],
        nothing=_NOTHING,
    )


def similar_listing(found: Sequence[ScoredCase]) -> Listing:
    """Return the rows of `case list --like`; a score is between 0 and 1."""
    return Listing(
        header=("CASE", "SCORE", "REPORTED", "ROOT CAUSE"),
        cells=[
            (
                scored.case.case_id,
                f"{scored.score:.2f}",
                _short(scored.case.symptoms[0] if scored.case.symptoms else ""),
                scored.case.root_cause,
            )
            for scored in found
        ],
        records=[{**case_record(scored.case), "score": round(scored.score, 4)} for scored in found],
        nothing="no case is similar enough",
    )


def case_record(case: Case) -> dict[str, object]:
    """Return one case for machines."""
    return {
        "case_id": case.case_id,
        "symptoms": list(case.symptoms),
        "root_cause": case.root_cause,
        "solution": case.solution,
        "services": list(case.services),
        "documents": list(case.documents),
        "note": case.note,
        "run_id": case.run_id,
        "confirmed_at": case.created_at.isoformat(),
    }


def write_case(case: Case, zone_name: str, invocation: Invocation) -> None:
    """Write one case in the format that was asked for."""
    streams = invocation.streams
    match invocation.format:
        case Format.JSON:
            streams.result(json_text(case_record(case)))
        case Format.NDJSON:
            streams.result(json_text(case_record(case), indent=None))
        case Format.MARKDOWN:
            streams.result(f"## {case.case_id}\n\n" + table(("", ""), _facts(case, ZoneInfo(zone_name))))
        case Format.TEXT:
            page = Page(streams.result_width)
            page.line((case.case_id, "bold"), indent="")
            page.columns([((name, "dim"), text) for name, text in _facts(case, ZoneInfo(zone_name))])
            streams.result(page.render(color=streams.result_in_color))


def _facts(case: Case, zone: ZoneInfo) -> list[tuple[str, str]]:
    facts = [("reported" if n == 0 else "seen", text) for n, text in enumerate(case.symptoms)]
    facts += [
        ("root cause", case.root_cause),
        ("solution", case.solution),
        ("services", ", ".join(case.services)),
        ("documents", ", ".join(case.documents)),
        ("note", case.note),
        ("run", case.run_id or ""),
        ("confirmed", case.created_at.astimezone(zone).strftime("%Y-%m-%d %H:%M:%S")),
    ]
    return [(name, text) for name, text in facts if text]


def _short(text: str) -> str:
    return text if len(text) <= 40 else text[:39] + "…"
