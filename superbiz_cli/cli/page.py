"""A page of text for a terminal or a file: headings, paragraphs, items, columns, all by cells.

Texts from outside are sanitised here, so that nothing reaches a terminal around it.
"""

from __future__ import annotations

import io
from collections.abc import Sequence

from rich.cells import cell_len
from rich.text import Text

from superbiz_cli.cli.wrap import wrap
from superbiz_cli.harness.tool.sanitize import sanitize

_LEAST_ROOM = 20
INDENT = "  "


class Page:
    """Lines of at most `width` cells, written from top to bottom."""

    def __init__(self, width: int) -> None:
        self.width = width
        self._lines: list[Text] = []

    def heading(self, title: str, *, aside: str = "", style: str = "bold") -> None:
        """Begin a section; `aside` stands at the right end of the line."""
        if self._lines:
            self.blank()
        line = Text(sanitize(title), style=style)
        if aside:
            gap = max(2, min(self.width, 60) - cell_len(title) - cell_len(aside))
            line = Text.assemble(line, " " * gap, (sanitize(aside), "dim"))
        self._lines.append(line)

    def blank(self) -> None:
        """Leave one line empty."""
        self._lines.append(Text())

    def paragraph(self, text: str | Text, *, indent: str = INDENT, style: str = "") -> None:
        """Write running text."""
        self._lines.extend(wrap(plain(text, style), width=self.width, first=indent))

    def item(self, marker: str, text: str | Text, *, indent: str = INDENT) -> None:
        """Write one item of a list."""
        self._lines.extend(wrap(plain(text), width=self.width, first=f"{indent}{marker} "))

    def line(self, *parts: str | tuple[str, str] | Text, indent: str = INDENT) -> None:
        """Write one line of parts as it is, wrapped only if it is too long."""
        text = Text.assemble(*(_part(part) for part in parts))
        self._lines.extend(wrap(text, width=self.width, first=indent, rest=indent + INDENT))

    def columns(self, rows: Sequence[Sequence[str | tuple[str, str]]], *, indent: str = INDENT) -> None:
        """Write rows of cells, aligned; the last cell is wrapped within its column."""
        cells = [[plain(*_styled(cell)) for cell in row] for row in rows]
        if not cells:
            return
        count = max(len(row) for row in cells)
        widths = [
            max((cell_len(row[i].plain) for row in cells if i < len(row)), default=0) for i in range(count)
        ]
        for row in cells:
            head = Text(indent)
            for cell, width in zip(row[:-1], widths, strict=False):
                head.append_text(cell)
                head.append(" " * (width - cell_len(cell.plain) + 2))
            room = self.width - cell_len(head.plain)
            if room < _LEAST_ROOM:  # too long a first cell: the last one goes below
                self._lines.extend(
                    wrap(Text(" ").join(row[:-1]), width=self.width, first=indent, rest=indent)
                )
                self._lines.extend(
                    wrap(row[-1], width=self.width, first=indent + INDENT, rest=indent + INDENT)
                )
                continue
            tail = wrap(row[-1], width=room)
            self._lines.append(Text.assemble(head, tail[0]))
            self._lines.extend(Text.assemble(" " * cell_len(head.plain), more) for more in tail[1:])

    @property
    def lines(self) -> tuple[Text, ...]:
        """The lines so far."""
        return tuple(self._lines)

    def render(self, *, color: bool) -> str:
        """Return the page as text, with ANSI colours if `color`."""
        return render_lines(self._lines, color=color)


def plain(text: str | Text, style: str = "") -> Text:
    """Return `text` as a styled text without markup; what comes from outside is sanitised."""
    return text if isinstance(text, Text) else Text(sanitize(text), style=style)


def render_lines(lines: Sequence[Text], *, color: bool) -> str:
    """Return lines as text. Without colour no escape sequence is in it."""
    if not color:
        return "".join(f"{line.plain.rstrip()}\n" for line in lines)
    from rich.console import Console

    buffer = io.StringIO()
    console = Console(
        file=buffer,
        force_terminal=True,
        color_system="standard",
        width=10_000,
        highlight=False,
        markup=False,
        emoji=False,
        soft_wrap=True,
        _environ={},
    )
    for line in lines:
        console.print(line, end="\n", no_wrap=True, crop=False)
    return buffer.getvalue()


def _part(part: str | tuple[str, str] | Text) -> Text:
    return part if isinstance(part, Text) else plain(*_styled(part))


def _styled(cell: str | tuple[str, str]) -> tuple[str, str]:
    return cell if isinstance(cell, tuple) else (cell, "")
