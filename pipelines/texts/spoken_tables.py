"""Tables of Markdown as a person reads them out. Pure."""

from __future__ import annotations

import re

from pipelines.texts.utterance import FULL_STOPS

_MAY_BE_RULE = re.compile(r"\s*(?:\|[|:\s-]*)?")
"""The whole beginning of a line that may become the rule below a table's head."""
_STOPS = frozenset(f".!?…,;:{FULL_STOPS}")


class SpokenTables:
    """Of a text that arrives bit by bit.

    The cells of a row follow each other with commas, and each row is a sentence. The rule below the
    head is left out. All other text passes as it comes.
    """

    def __init__(self) -> None:
        self._held = ""
        """A line's beginning that may be a rule's, or what stands behind a cell."""
        self._is_row: bool | None = None
        """Whether the line is a row; ``None`` while it may be a rule."""
        self._last = ""
        """Of the row's characters that were said."""

    def take(self, text: str) -> str:
        """What can be said with these characters."""
        first, *others = text.split("\n")
        said = [self._more(first)]
        for line in others:
            said += [self._line_end("\n"), self._more(line)]
        return "".join(said)

    def rest(self) -> str:
        """What is left when the text is over."""
        return self._line_end("")

    def _more(self, text: str) -> str:
        if self._is_row is False:
            return text
        text = self._held + text
        if self._is_row is None:
            if _MAY_BE_RULE.fullmatch(text):
                self._held = text
                return ""
            self._is_row = text.lstrip().startswith("|")
            if not self._is_row:
                self._held = ""
                return text
        cells = text.rstrip("| \t\r")
        self._held = text[len(cells) :]
        return self._read_out(cells)

    def _read_out(self, cells: str) -> str:
        first, *others = cells.split("|")
        said = first.rstrip() if others else first
        parts = [said]
        last = said[-1:] or self._last
        for cell in filter(None, map(str.strip, others)):
            if last:
                parts.append(" " if last in _STOPS else ", ")
            parts.append(cell)
            last = cell[-1]
        self._last = last
        return "".join(parts)

    def _line_end(self, line_break: str) -> str:
        is_row, held, last = self._is_row, self._held, self._last
        self._is_row, self._held, self._last = None, "", ""
        if is_row is None:
            return "" if "|" in held else held + line_break
        return line_break if not is_row or last in _STOPS else f".{line_break}"
