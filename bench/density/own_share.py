"""What is left of voice to voice after what nobody can hasten. Pure."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

_APART_MS = 500.0
"""At most, between when the caller heard an answer and when its turn began for the worker."""


@dataclass(frozen=True)
class AgentTurn:
    """As the worker reports it."""

    started_at_ms: float
    end_of_turn_ms: float | None
    """From the caller's last sound to the decision that the turn is over."""


@dataclass(frozen=True)
class Shares:
    end_of_turn_ms: list[float]
    ours_ms: list[float]


def shares(
    answers: Sequence[tuple[float, float]], turns: Sequence[AgentTurn], vendors_ms: float
) -> Shares:
    """Of one call: the end of turn and the vendors run at the same time, so that the longer of
    them counts.

    Args:
        answers: when each was heard, from the first sound of the call on, and its voice to voice.
        turns: of the agent, in order. The first is its opener.
        vendors_ms: their delays until the first sound of an answer.
    """
    found = Shares([], [])
    if not turns:
        return found
    began_at_ms = turns[0].started_at_ms
    for at_ms, voice_to_voice_ms in answers:
        turn = min(turns[1:], key=lambda each: _apart(each, began_at_ms, at_ms), default=None)
        if turn is None or turn.end_of_turn_ms is None:
            continue
        if _apart(turn, began_at_ms, at_ms) > _APART_MS:
            continue
        found.end_of_turn_ms.append(turn.end_of_turn_ms)
        found.ours_ms.append(voice_to_voice_ms - max(turn.end_of_turn_ms, vendors_ms))
    return found


def _apart(turn: AgentTurn, began_at_ms: float, at_ms: float) -> float:
    return abs(turn.started_at_ms - began_at_ms - at_ms)
