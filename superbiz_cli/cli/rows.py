"""Lists: one row a line without boxes in text, an array in JSON, a line each in NDJSON, or a table."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from rich.cells import cell_len

from superbiz_cli.cli.markdown import table
from superbiz_cli.cli.options import Format, Invocation
from superbiz_cli.cli.streams import json_text
from superbiz_cli.cli.wrap import clip, pad
from superbiz_cli.harness.tool.sanitize import sanitize


@dataclass(frozen=True, slots=True)
class Listing:
    """Rows for people (`cells`, under `header`) and the same rows for machines (`records`)."""

    header: tuple[str, ...]
    cells: Sequence[tuple[str, ...]]
    records: Sequence[Mapping[str, object]]
    nothing: str = "nothing to show"


def write_listing(listing: Listing, invocation: Invocation) -> None:
    """Write the listing in the format that was asked for; an empty one is a success."""
    streams = invocation.streams
    match invocation.format:
        case Format.JSON:
            streams.result(json_text(list(listing.records)))
        case Format.NDJSON:
            for record in listing.records:
                streams.result(json_text(record, indent=None))
        case Format.MARKDOWN:
            streams.result(table(listing.header, listing.cells))
        case Format.TEXT:
            if not listing.cells and streams.notes_are_terminal:
                streams.note(listing.nothing)
            width = streams.result_width if streams.result_is_terminal else None
            streams.result(aligned([listing.header, *listing.cells], width=width))


def aligned(rows: Sequence[tuple[str, ...]], *, width: int | None) -> str:
    """Return rows with aligned columns, each on one line; only a terminal's width cuts the last column."""
    flat = [[" ".join(sanitize(cell).split()) for cell in row] for row in rows]
    widths = [max(cell_len(row[i]) for row in flat) for i in range(len(flat[0]))]
    lines = []
    for row in flat:
        line = "  ".join(pad(cell, size) for cell, size in zip(row[:-1], widths[:-1], strict=True))
        line = f"{line}  {row[-1]}" if line else row[-1]
        lines.append((clip(line, width) if width else line).rstrip())
    return "".join(f"{line}\n" for line in lines)
