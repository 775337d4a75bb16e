"""What a caller says, decided by nothing but what it hears."""

from __future__ import annotations

import re
from collections import deque
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Annotated, Protocol

from pydantic import BaseModel, ConfigDict, Field

WHEN_LOST = "Sorry, could you say that again?"
"""Said when no rule fits, or nothing was heard."""
PATIENCE = 3
"""How often in a row ``WHEN_LOST`` is said before the caller gives up."""


@dataclass(frozen=True)
class Reply:
    """The caller's next move. Without ``text`` it only leaves; with both it leaves afterwards."""

    text: str | None
    then_leave: bool = False


class DialoguePolicy(Protocol):
    """A caller's side of one call. Pure: no clock, no audio."""

    def lines(self) -> Sequence[str]:
        """Everything it may say, so that a voice can prepare it."""

    def reply_to(self, heard: str) -> Reply:
        """The agent's turn is over; ``heard`` is empty if no word of it was understood."""

    def unanswered(self) -> Reply:
        """Nobody spoke for a long time."""

    @property
    def may_interrupt(self) -> bool:
        """Whether the agent's words are worth following while it speaks."""

    def interruption(self, heard_so_far: str) -> str | None:
        """What to say into the agent's turn, of which ``heard_so_far`` was understood."""


class LineByLine:
    """Says its lines one after the other, each after a turn of the agent, and then leaves."""

    def __init__(self, lines: Iterable[str]) -> None:
        self._lines = tuple(lines)
        self._waiting = deque(self._lines)

    def lines(self) -> Sequence[str]:
        return self._lines

    def reply_to(self, heard: str) -> Reply:
        return self._next()

    def unanswered(self) -> Reply:
        return self._next()

    @property
    def may_interrupt(self) -> bool:
        return False

    def interruption(self, heard_so_far: str) -> str | None:
        return None

    def _next(self) -> Reply:
        return Reply(self._waiting.popleft()) if self._waiting else Reply(None, then_leave=True)


class Rule(BaseModel):
    """``say`` is the answer to a turn in which one of the phrases ``when_heard`` occurs."""

    model_config = ConfigDict(frozen=True, extra="forbid")
    when_heard: Annotated[tuple[str, ...], Field(min_length=1)]
    """Whole words in this order; case and punctuation do not matter."""
    say: str
    interrupt: bool = False
    """Said at once, into the agent's turn, and only there."""
    leave: bool = False
    """Hang up afterwards."""

    def matches(self, heard: str) -> bool:
        words = _plain(heard)
        return any(_plain(phrase) in words for phrase in self.when_heard)


class RuleFollower:
    """Answers by the first rule that fits. Each rule answers once, except that the last answer is
    repeated when it is asked for again."""

    def __init__(self, rules: Sequence[Rule]) -> None:
        self._rules = tuple(rules)
        self._unused = list(rules)
        self._last: Rule | None = None
        self._lost_in_a_row = 0

    def lines(self) -> Sequence[str]:
        return tuple(dict.fromkeys([*(rule.say for rule in self._rules), WHEN_LOST]))

    def reply_to(self, heard: str) -> Reply:
        candidates = [rule for rule in self._unused if not rule.interrupt]
        if self._last:
            candidates.append(self._last)
        rule = next((rule for rule in candidates if rule.matches(heard)), None)
        return self._use(rule) if rule else self.unanswered()

    def unanswered(self) -> Reply:
        self._lost_in_a_row += 1
        if self._lost_in_a_row > PATIENCE:
            return Reply(None, then_leave=True)
        return Reply(WHEN_LOST)

    @property
    def may_interrupt(self) -> bool:
        return any(rule.interrupt for rule in self._unused)

    def interruption(self, heard_so_far: str) -> str | None:
        for rule in self._unused:
            if rule.interrupt and rule.matches(heard_so_far):
                return self._use(rule).text
        return None

    def _use(self, rule: Rule) -> Reply:
        if rule in self._unused:
            self._unused.remove(rule)
        self._last = rule
        self._lost_in_a_row = 0
        return Reply(rule.say, rule.leave)


def _plain(text: str) -> str:
    """The words alone, each with a space on either side."""
    return f" {' '.join(re.findall(r'[a-z0-9]+', text.lower()))} "
