"""HTML to Markdown: headings, lists and tables, as far as passages need them. Pure."""

from __future__ import annotations

from html.parser import HTMLParser

_SKIPPED = frozenset({"script", "style", "template", "noscript", "svg", "iframe", "head", "nav"})
_HEADINGS = {f"h{level}": "#" * level for level in range(1, 7)}
_BLOCKS = frozenset(
    "p div section article main header footer aside ul ol table thead tbody blockquote pre br "
    "figure dl dt dd form hr".split()
)
_VOID = frozenset({"br", "hr"})
_CELLS = frozenset({"td", "th"})


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
        self._is_first_row = False

    @property
    def markdown(self) -> str:
        self._end_line()
        return "\n".join(self._lines)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if self._skipped is not None:
            self._skipped_depth += tag == self._skipped
        elif tag in _SKIPPED:
            self._skipped, self._skipped_depth = tag, 1
        elif tag in _HEADINGS:
            self._end_line()
            self._prefix = f"{_HEADINGS[tag]} "
        elif tag == "li":
            self._end_line()
            self._prefix = "- "
        elif tag == "tr":
            self._end_line()
            self._cells = []
        elif tag == "table":
            self._end_line()
            self._is_first_row = True
        elif tag in _BLOCKS and self._cells is None:
            self._end_line()
            if tag not in _VOID:
                self._lines.append("")

    def handle_endtag(self, tag: str) -> None:
        if self._skipped is not None:
            self._skipped_depth -= tag == self._skipped
            if not self._skipped_depth:
                self._skipped = None
        elif tag in _CELLS and self._cells is not None:
            self._cells.append(self._taken().replace("|", "/"))
        elif tag == "tr" and self._cells is not None:
            self._end_row(self._cells)
        elif tag in _HEADINGS or tag == "li" or (tag in _BLOCKS and self._cells is None):
            self._end_line()

    def handle_data(self, data: str) -> None:
        if self._skipped is None:
            self._words.append(data)

    def _end_row(self, cells: list[str]) -> None:
        self._cells = None
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
