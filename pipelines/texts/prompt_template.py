"""A compiled prompt in which the variables of a call are still open. Pure.

It is what publishing freezes. A call only fills in the texts that name variables: headings, rules
and everything else stay as they were compiled.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

from pydantic import BaseModel, ConfigDict

FillText = Callable[[str, str], str]
"""``(field, text)`` → the text with the call's variables in it."""


class OpenText(BaseModel):
    """A text of the agent that has placeholders.

    If nothing is left of it once it is filled in, ``before`` and ``after`` are left out, too.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")
    field: str
    """The text's path on the wire, such as ``playbook.opener``."""
    text: str
    before: str = ""
    after: str = ""
    otherwise: str = ""
    """Stands in for the text if nothing is left of it."""

    def filled(self, fill: FillText) -> str:
        said = fill(self.field, self.text) or self.otherwise
        return f"{self.before}{said}{self.after}" if said else ""


Part = str | OpenText
Line = tuple[Part, ...]


class PromptSection(BaseModel):
    """A heading and lines below it. Blank lines are left out, and a heading without any lines."""

    model_config = ConfigDict(frozen=True, extra="forbid")
    title: str = ""
    """Without a title the text stands as it is, blanks around it included."""
    is_list: bool = False
    lines: tuple[Line, ...]

    @property
    def open_texts(self) -> Iterator[OpenText]:
        return (part for line in self.lines for part in line if isinstance(part, OpenText))

    def filled(self, fill: FillText) -> str:
        lines = ("".join(_filled(part, fill) for part in line) for line in self.lines)
        said = [line for line in lines if line.strip()]
        if self.is_list:
            said = [f"- {line.strip()}" for line in said]
        body = "\n".join(said)
        return f"# {self.title}\n{body.strip()}" if self.title and said else body


class PromptTemplate(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")
    sections: tuple[PromptSection, ...]

    @property
    def open_texts(self) -> tuple[OpenText, ...]:
        """In the order of the prompt. None: the prompt is the same for every call."""
        return tuple(text for section in self.sections for text in section.open_texts)

    @property
    def document(self) -> dict[str, Any]:
        """As JSON, from which ``PromptTemplate.model_validate`` makes it again."""
        return self.model_dump(mode="json", exclude_defaults=True)

    def filled(self, fill: FillText) -> str:
        said = (section.filled(fill) for section in self.sections)
        return "\n\n".join(text for text in said if text)


def text_part(
    field: str, text: str | None, *, before: str = "", after: str = "", otherwise: str = ""
) -> Part:
    """A text of the agent between fixed words; an empty one leaves them out."""
    if text and "{" in text:
        return OpenText(field=field, text=text, before=before, after=after, otherwise=otherwise)
    said = text or otherwise
    return f"{before}{said}{after}" if said else ""


def _filled(part: Part, fill: FillText) -> str:
    return part if isinstance(part, str) else part.filled(fill)
