"""Computes the state of a dialogue from its chat history, as a fold over who said what.

Nothing is stored between replies. So a reply that was generated early and thrown away, or that the
caller cut off, has only the effect that the history shows.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Literal

from pipelines.playbook.policy import Policy
from pipelines.playbook.state import Reply, State


@dataclass(frozen=True, slots=True)
class Turn:
    speaker: Literal["caller", "agent"]
    text: str
    is_interrupted: bool = False


@dataclass(frozen=True, slots=True)
class Dialogue:
    settled: State
    """After the replies that the caller has at least begun to hear."""
    settled_replies: tuple[Reply, ...]
    reply: Reply
    """The answer to everything said since then."""


def fold(policy: Policy, turns: Iterable[Turn]) -> Dialogue:
    """The dialogue after ``turns``. What the caller says in several turns without a reply between
    them is one utterance: the caller heard no reply and is still making the same point."""
    state = State()
    replies: list[Reply] = []
    unanswered: list[str] = []
    for turn in turns:
        if turn.speaker == "caller":
            unanswered.append(turn.text)
            continue
        if unanswered:
            state, reply = policy.step(state, " ".join(unanswered))
            replies.append(reply)
            unanswered = []
        state = policy.heard(state, turn.text, is_interrupted=turn.is_interrupted)
    _, reply = policy.step(state, " ".join(unanswered))
    return Dialogue(state, tuple(replies), reply)
