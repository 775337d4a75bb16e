"""Decides when a caller speaks: after the agent's turn, during it, or after a long silence. Pure.

Times are seconds on one monotonic clock. Call ``tick`` for every frame, ``overheard`` with the
first words of a turn that goes on, and ``heard`` with every finished turn.
"""

from __future__ import annotations

from dataclasses import dataclass

from switchboard.caller.dialogue_policy import DialoguePolicy, Reply

REPLY_TIMEOUT_SECONDS = 9.0
"""Silence from both sides after which the caller speaks. Agents speak after 8 s by default."""
AUDIBLE_SECONDS = 0.06
"""A caller interrupts only while it hears the agent, not in a pause for breath."""
GOODBYE_SECONDS = 3.0
"""How long a caller that has said goodbye waits for the agent's last words."""


@dataclass(frozen=True)
class Say:
    text: str
    is_interruption: bool = False
    is_goodbye: bool = False
    """No answer is expected."""


@dataclass(frozen=True)
class Leave:
    pass


Move = Say | Leave


@dataclass(frozen=True)
class HeardWords:
    """A turn of the agent, as the caller understood it."""

    text: str
    started_at: float
    ended_at: float


@dataclass(frozen=True)
class Situation:
    """What is audible at ``now``. ``None``: this side is silent, or has not spoken yet."""

    now: float
    agent_speaking_since: float | None
    """Remains set until the end of the turn is certain."""
    agent_spoke_at: float | None
    caller_is_speaking: bool
    caller_spoke_at: float | None
    is_recognising: bool = False
    """A finished turn is being recognised."""


class TurnTaking:
    """Turn taking for one ``DialoguePolicy``."""

    def __init__(self, policy: DialoguePolicy, connected_at: float) -> None:
        self._policy = policy
        self._connected_at = connected_at
        self._unanswered_words: list[str] = []
        self._interruption: str | None = None
        self._cut_in_at: float | None = None
        self._is_leaving = False

    def tick(self, situation: Situation) -> Move | None:
        """The move that is due now, without anything new being heard."""
        if situation.caller_is_speaking:
            return None
        if situation.agent_speaking_since is not None:
            return self._cut_in(situation)
        if situation.is_recognising:
            return None
        quiet_since = max(
            self._connected_at, situation.agent_spoke_at or 0.0, situation.caller_spoke_at or 0.0
        )
        quiet_seconds = situation.now - quiet_since
        if self._is_leaving:
            return Leave() if quiet_seconds >= GOODBYE_SECONDS else None
        if quiet_seconds >= REPLY_TIMEOUT_SECONDS:
            return self._move(self._policy.unanswered())
        return None

    @property
    def may_interrupt(self) -> bool:
        """Whether to call ``overheard`` while the agent speaks."""
        return self._policy.may_interrupt and not self._is_leaving

    def overheard(self, words: str, situation: Situation) -> None:
        """Takes the words so far of a turn that goes on. The next tick may interrupt it."""
        if situation.caller_is_speaking or situation.agent_speaking_since is None:
            return
        self._interruption = self._policy.interruption(words)

    def heard(self, words: HeardWords, situation: Situation) -> Move | None:
        """The answer to a finished turn; ``None`` if the agent goes on, or was interrupted."""
        if self._is_leaving:
            return Leave()
        if self._was_cut_off(words, situation) or _was_a_false_start(words, situation):
            return None
        if self._interruption is not None:
            return self._too_late()
        self._unanswered_words.append(words.text)
        if situation.agent_speaking_since is not None or situation.caller_is_speaking:
            return None
        text = " ".join(each for each in self._unanswered_words if each)
        return self._move(self._policy.reply_to(text))

    def _cut_in(self, situation: Situation) -> Move | None:
        text = self._interruption
        quiet_seconds = situation.now - (situation.agent_spoke_at or 0.0)
        if text is None or quiet_seconds > AUDIBLE_SECONDS:
            return None
        self._interruption = None
        self._cut_in_at = situation.now
        self._unanswered_words.clear()
        return Say(text, is_interruption=True)

    def _too_late(self) -> Move:
        """The agent finished first, so the interruption is said as an answer."""
        text, self._interruption = self._interruption, None
        return self._move(Reply(text))

    def _was_cut_off(self, words: HeardWords, situation: Situation) -> bool:
        """Whether the caller interrupted this turn, which has been its answer."""
        if self._cut_in_at is None or words.started_at >= self._cut_in_at:
            return False
        return situation.caller_is_speaking or words.ended_at < (situation.caller_spoke_at or 0.0)

    def _move(self, reply: Reply) -> Move:
        self._unanswered_words.clear()
        self._is_leaving = self._is_leaving or reply.then_leave
        if reply.text is None:
            return Leave()
        return Say(reply.text, is_goodbye=reply.then_leave)


def _was_a_false_start(words: HeardWords, situation: Situation) -> bool:
    """Whether the agent began in a pause of the caller, and fell silent when the caller went on."""
    return not situation.caller_is_speaking and words.ended_at < (situation.caller_spoke_at or 0.0)
