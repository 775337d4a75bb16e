"""What a document is cut into. Pure."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Passage:
    """A piece of a document that can be understood, and quoted, on its own.

    Args:
        context: the document's title and the headings above the passage.
        text: as the document has it, in Markdown.
    """

    context: str
    text: str

    @property
    def searched(self) -> str:
        """What is searched: a passage often says only in its heading what it is about."""
        return f"{self.context}\n{self.text}" if self.context else self.text
