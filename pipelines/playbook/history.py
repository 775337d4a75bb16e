"""From a chat history to the state of the dialogue: a fold over who said what.

Nothing is remembered between replies. A reply that was generated ahead of time and thrown away, or
cut off by the caller, leaves no trace but what the history says about it.
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
    """``settled``: the replies that the caller has at least begun to hear. ``reply``: the answer to
    everything said since."""

    settled: State
    settled_replies: tuple[Reply, ...]
    reply: Reply


def fold(policy: Policy, turns: Iterable[Turn]) -> Dialogue:
    """Utterances without a reply between them are one: nothing of the reply was heard, so the
    caller is still making the same point."""
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
