"""The code blocks of the documentation's pages, and what a page says about running them.

A one-line comment right before a block makes an exception of it:

    <!-- not run: reason -->          the block is shown only
    <!-- answers 400: reason -->      the API refuses the block's request with this status
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).parents[2]
SETUP_PAGE = ROOT / "docs" / "README.md"
SETUP_LINK = "#set-up-your-shell"
PAGES = (
    ROOT / "README.md",
    *sorted((ROOT / "docs").glob("*.md")),
    ROOT / "clients" / "python" / "README.md",
    ROOT / "examples" / "README.md",
    *sorted((ROOT / "examples").glob("*/README.md")),
    ROOT / "ARCHITECTURE.md",
    ROOT / "CONTRIBUTING.md",
)
RUNNABLE = ("sh", "python")

_BLOCK = re.compile(
    r"(?:^<!-- (?P<comment>[^\n]*) -->\n)?^```(?P<language>\w*)\n(?P<text>.*?)^```$",
    re.MULTILINE | re.DOTALL,
)
_NOT_RUN = re.compile(r"not run: (?P<reason>.+)")
_ANSWERS = re.compile(r"answers (?P<status>\d{3}): .+")


@dataclass(frozen=True)
class Block:
    page: Path
    line: int
    """Of its first line of code, counted from 1."""
    language: str
    text: str
    comment: str

    @property
    def name(self) -> str:
        return f"{name_of(self.page)}:{self.line}"

    @property
    def not_run(self) -> str | None:
        """The reason that the page gives for not running it."""
        found = _NOT_RUN.fullmatch(self.comment)
        return found["reason"] if found else None

    @property
    def refused_with(self) -> int | None:
        """The HTTP status that the page announces."""
        found = _ANSWERS.fullmatch(self.comment)
        return int(found["status"]) if found else None

    @property
    def is_run(self) -> bool:
        return self.language in RUNNABLE and self.not_run is None


def name_of(page: Path) -> str:
    return page.relative_to(ROOT).as_posix()


def blocks_of(page: Path) -> list[Block]:
    source = page.read_text()
    return [
        Block(
            page=page,
            line=source.count("\n", 0, found.start("text")) + 1,
            language=found["language"],
            text=found["text"],
            comment=found["comment"] or "",
        )
        for found in _BLOCK.finditer(source)
    ]


def setup_line(page: Path) -> int | None:
    """Where the page first sends its reader to the set-up of the shell."""
    for number, line in enumerate(page.read_text().splitlines(), start=1):
        if SETUP_LINK in line:
            return number
    return None


def python_program(page: Path) -> str:
    """All Python of a page, as one program."""
    return "\n".join(each.text for each in blocks_of(page) if each.language == "python")
