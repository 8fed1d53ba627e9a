"""HTML as Markdown: headings, paragraphs, lists, code and tables; no scripts, styles and navigation."""

from __future__ import annotations

import re
from html.parser import HTMLParser

_IGNORED = frozenset(
    {"script", "style", "nav", "header", "footer", "aside", "noscript", "template", "svg", "form"}
)
_BLOCKS = frozenset(
    {"p", "div", "section", "article", "main", "ul", "ol", "dl", "dt", "dd", "blockquote", "figure"}
)
_HEADINGS = {f"h{level}": level for level in range(1, 7)}
_VOID = frozenset({"br", "hr", "img", "input", "meta", "link", "wbr", "source", "col"})
_BLANK_LINES = re.compile(r"\n{3,}")


def read_html(html: str) -> tuple[str, str]:
    """Return (title, Markdown). Never raises: whatever is no HTML is read as text."""
    reader = _Reader()
    reader.feed(html)
    reader.close()
    return reader.title(), reader.markdown()


class _Reader(HTMLParser):
    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self._lines: list[str] = []
        self._line = ""
        self._title: list[str] = []
        self._in_title = False
        self._ignored_depth = 0
        self._code_depth = 0
        self._list_depth = 0
        self._table: list[list[str]] = []
        self._cell: list[str] | None = None

    def title(self) -> str:
        return " ".join("".join(self._title).split())

    def markdown(self) -> str:
        self._end_line()
        return _BLANK_LINES.sub("\n\n", "\n".join(self._lines)).strip() + "\n"

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if tag in _IGNORED:
            self._ignored_depth += 1
        elif tag == "title":
            self._in_title = True
        elif tag == "pre":
            self._break()
            self._code_depth += 1
            self._lines.append("```")
        elif tag in _HEADINGS:
            self._break()
            self._line = "#" * _HEADINGS[tag] + " "
        elif tag == "li":
            self._end_line()
            self._line = "  " * max(0, self._list_depth - 1) + "- "
        elif tag in ("td", "th"):
            self._cell = []
        elif tag == "tr":
            self._table.append([])
        elif tag == "br":
            self._end_line()
        elif tag in _BLOCKS or tag == "table":
            self._break()
        if tag in ("ul", "ol"):
            self._list_depth += 1

    def handle_endtag(self, tag: str) -> None:
        if tag in _VOID:
            return
        if tag in _IGNORED:
            self._ignored_depth = max(0, self._ignored_depth - 1)
        elif tag == "title":
            self._in_title = False
        elif tag == "pre" and self._code_depth:
            self._code_depth -= 1
            self._end_line()
            self._lines += ["```", ""]
        elif tag in ("td", "th") and self._cell is not None:
            if self._table:
                self._table[-1].append(" ".join("".join(self._cell).split()).replace("|", "\\|"))
            self._cell = None
        elif tag == "table":
            self._end_table()
        elif tag in _HEADINGS or tag in _BLOCKS:
            self._break()
        if tag in ("ul", "ol"):
            self._list_depth = max(0, self._list_depth - 1)

    def handle_data(self, data: str) -> None:
        if self._in_title:
            self._title.append(data)
        elif self._ignored_depth:
            return
        elif self._cell is not None:
            self._cell.append(data)
        elif self._code_depth:
            first, *rest = data.split("\n")
            self._line += first
            for line in rest:
                self._lines.append(self._line)
                self._line = line
        else:
            words = " ".join(data.split())
            if words:
                gap = " " if data[:1].isspace() and self._line and not self._line.endswith(" ") else ""
                self._line += gap + words + (" " if data[-1:].isspace() else "")

    def _end_line(self) -> None:
        if self._line.strip():
            self._lines.append(self._line.rstrip())
        self._line = ""

    def _break(self) -> None:
        self._end_line()
        if self._lines and self._lines[-1]:
            self._lines.append("")

    def _end_table(self) -> None:
        rows = [row for row in self._table if row]
        self._table = []
        if not rows:
            return
        width = max(len(row) for row in rows)
        padded = [row + [""] * (width - len(row)) for row in rows]
        lines = [f"| {' | '.join(row)} |" for row in padded]
        self._lines += [lines[0], "|" + " --- |" * width, *lines[1:], ""]
