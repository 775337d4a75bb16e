"""Dialogues written down as text.

``:`` is what the caller says, ``>`` what must occur in the reply, ``!`` what must not, ``=`` the
slots in the end, ``@`` the agent. Parts of a reply are separated by ``…`` and must occur in this
order; ``|`` separates replies of which one is enough; ``END`` means that the call is ended. A line
with ``#`` names a dialogue.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path

from pipelines.playbook.state import Reply


@dataclass
class Dialogue:
    name: str
    turns: list[tuple[str, str]] = field(default_factory=list)
    slots: dict[str, str] | None = None
    forbidden: dict[int, list[str]] = field(default_factory=dict)
    """By the number of the turn."""


def dialogues(path: Path) -> list[Dialogue]:
    found: list[Dialogue] = []
    said = ""
    for line in path.read_text().splitlines():
        mark, text = line[:1], line[1:].strip()
        if mark == "#":
            found.append(Dialogue(text))
        elif mark == ":":
            said = text
        elif mark == ">":
            found[-1].turns.append((said, text))
        elif mark == "!":
            found[-1].forbidden.setdefault(len(found[-1].turns) - 1, []).append(text)
        elif mark == "=":
            found[-1].slots = dict(pair.split(": ", 1) for pair in text.split(", "))
    return found


def agent_of(path: Path) -> str:
    """The agent that a file's ``@`` names."""
    return next(line[1:].strip() for line in path.read_text().splitlines() if line[:1] == "@")


def matches(reply: Reply, expected: str) -> bool:
    ends = expected.endswith(" END")
    alternatives = expected.removesuffix(" END").split("|")
    return reply.end_call is ends and any(_occurs(reply.text, text) for text in alternatives)


def _occurs(text: str, expected: str) -> bool:
    start = 0
    for part in (piece.strip() for piece in expected.split("…")):
        at = text.lower().find(part.lower(), start)
        if at < 0:
            return False
        start = at + len(part)
    return True
