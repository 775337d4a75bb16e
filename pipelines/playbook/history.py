"""Computes the state of a dialogue from its chat history, as a fold over who said what.

Nothing is stored between replies. So a reply that was generated early and thrown away, or that the
caller cut off, has only the effect that the history shows.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
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
    return Folding(policy).dialogue(turns)


@dataclass(frozen=True, slots=True)
class _Point:
    """The dialogue after an agent's turn."""

    turns: int
    state: State
    replies: tuple[Reply, ...]


class Folding:
    """Folds the growing history of one call. What a history has in common with the previous one is
    not computed again: a reply takes no longer late in a call than early."""

    def __init__(self, policy: Policy) -> None:
        self._policy = policy
        self._turns: tuple[Turn, ...] = ()
        self._points = [_Point(0, State(), ())]

    def dialogue(self, turns: Iterable[Turn]) -> Dialogue:
        """As ``fold``."""
        turns = tuple(turns)
        common = _common(self._turns, turns)
        self._turns = turns
        self._points = [point for point in self._points if point.turns <= common]
        last = self._points[-1]
        state, replies = last.state, last.replies
        unanswered: list[str] = []
        for number, turn in enumerate(turns[last.turns :], start=last.turns + 1):
            if turn.speaker == "caller":
                unanswered.append(turn.text)
                continue
            if unanswered:
                state, reply = self._policy.step(state, " ".join(unanswered))
                replies = (*replies, reply)
                unanswered = []
            state = self._policy.heard(state, turn.text, is_interrupted=turn.is_interrupted)
            self._points.append(_Point(number, state, replies))
        _, reply = self._policy.step(state, " ".join(unanswered))
        return Dialogue(state, replies, reply)


def _common(one: Sequence[Turn], other: Sequence[Turn]) -> int:
    """How many turns both begin with."""
    pairs = enumerate(zip(one, other, strict=False))
    return next((n for n, (a, b) in pairs if a != b), min(len(one), len(other)))
