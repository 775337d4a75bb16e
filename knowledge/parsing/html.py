"""HTML to Markdown: headings, lists and tables, as far as passages need them. Pure."""

from __future__ import annotations

from html.parser import HTMLParser

_SKIPPED = frozenset({"script", "style", "template", "noscript", "svg", "iframe", "title", "nav"})
"""Not ``head``, whose end tag may be left out: it has nothing else that would be read."""
_HEADINGS = {f"h{level}": "#" * level for level in range(1, 7)}
_BLOCKS = frozenset(
    "p div section article main header footer aside ul ol table thead tbody blockquote pre br "
    "figure dl dt dd form hr".split()
)
_LINES = _BLOCKS | {"li"}
_BESIDE = " "
"""Between the lines of a cell."""
_VOID = frozenset({"br", "hr"})
_CELLS = frozenset({"td", "th"})
_ROWS = frozenset({"tr", "table", "thead", "tbody", "tfoot"})
"""Where one of them begins or ends, no row goes on: HTML lets authors leave ``</td>`` and ``</tr>``
out."""


def markdown_of_html(html: str) -> str:
    """Reads any nesting without recursion. Text that no tag closes is kept."""
    reader = _Reader()
    reader.feed(html)
    reader.close()
    return reader.markdown


class _Reader(HTMLParser):
    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self._lines: list[str] = []
        self._words: list[str] = []
        self._prefix = ""
        self._skipped: str | None = None
        self._skipped_depth = 0
        self._cells: list[str] | None = None
        """Of the row that is being read."""
        self._is_in_cell = False
        self._is_first_row = False

    @property
    def markdown(self) -> str:
        self._end_row()
        return "\n".join(self._lines)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if self._skipped is not None:
            self._skipped_depth += tag == self._skipped
        elif tag in _SKIPPED:
            self._skipped, self._skipped_depth = tag, 1
        elif tag in _ROWS:
            self._end_row()
            self._cells = [] if tag == "tr" else None
            self._is_first_row = self._is_first_row or tag == "table"
        elif tag in _HEADINGS:
            # A table with headings in its cells only arranges a page.
            self._end_row()
            self._prefix = f"{_HEADINGS[tag]} "
        elif self._cells is not None:
            if tag in _CELLS:
                self._end_cell()
                self._is_in_cell = True
            elif tag in _LINES:
                self._words.append(_BESIDE)
        elif tag == "li":
            self._end_line()
            self._prefix = "- "
        elif tag in _BLOCKS:
            self._end_line()
            if tag not in _VOID:
                self._lines.append("")

    def handle_endtag(self, tag: str) -> None:
        if self._skipped is not None:
            self._skipped_depth -= tag == self._skipped
            if not self._skipped_depth:
                self._skipped = None
        elif tag in _ROWS:
            self._end_row()
        elif self._cells is not None:
            if tag in _CELLS:
                self._end_cell()
            elif tag in _LINES:
                self._words.append(_BESIDE)
        elif tag in _HEADINGS or tag in _CELLS or tag in _LINES:
            self._end_line()

    def handle_data(self, data: str) -> None:
        if self._skipped is None:
            self._words.append(data)

    def _end_cell(self) -> None:
        text = self._taken().replace("|", "/")
        if self._cells is not None and (self._is_in_cell or text):
            self._cells.append(text)
        self._is_in_cell = False

    def _end_row(self) -> None:
        if self._cells is None:
            self._end_line()
            return
        self._end_cell()
        cells, self._cells = self._cells, None
        if not any(cells):
            return
        self._lines.append(f"| {' | '.join(cells)} |")
        if self._is_first_row:
            self._lines.append(f"|{' --- |' * len(cells)}")
            self._is_first_row = False

    def _end_line(self) -> None:
        text = self._taken()
        if text:
            if self._prefix.startswith("#"):
                self._lines += ["", f"{self._prefix}{text}", ""]
            else:
                self._lines.append(f"{self._prefix}{text}")
        self._prefix = ""

    def _taken(self) -> str:
        text = " ".join("".join(self._words).split())
        self._words = []
        return text
