"""What a caller says, decided by nothing but what it hears."""

from __future__ import annotations

import re
from collections import deque
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Annotated, Protocol

from pydantic import BaseModel, ConfigDict, Field

_FROZEN = ConfigDict(frozen=True, extra="forbid")


@dataclass(frozen=True)
class Reply:
    """The caller's next move. Without ``text`` it only leaves; with both it leaves afterwards."""

    text: str | None
    then_leave: bool = False


class Interruption(BaseModel):
    """Words that cut in on the agent's next turn, once that has lasted ``after_seconds``."""

    model_config = _FROZEN
    say: str
    after_seconds: Annotated[float, Field(gt=0)] = 1.5


class Conversation(Protocol):
    """A caller's side of one call. Pure: no clock, no audio."""

    def lines(self) -> Sequence[str]:
        """Everything it may say, so that a voice can prepare it."""

    def reply_to(self, heard: str) -> Reply:
        """The agent's turn is over; ``heard`` is empty if no word of it was understood."""

    def unanswered(self) -> Reply:
        """Nobody spoke for a long time."""

    def interruption(self) -> Interruption | None:
        """Set while the agent's next turn is to be cut in on; asking does not use it up."""

    def interrupted(self) -> None:
        """The interruption is being said."""


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

    def interruption(self) -> Interruption | None:
        return None

    def interrupted(self) -> None:
        raise RuntimeError("there was no interruption to say")

    def _next(self) -> Reply:
        return Reply(self._waiting.popleft()) if self._waiting else Reply(None, then_leave=True)


class Rule(BaseModel):
    """``say`` is the answer to a turn in which one of the ``when_heard`` expressions occurs."""

    model_config = _FROZEN
    when_heard: Annotated[tuple[str, ...], Field(min_length=1)]
    """Regular expressions, matched anywhere in the words heard, ignoring case."""
    say: str
    times: Annotated[int, Field(ge=1)] = 1
    """How often the rule may answer."""
    then_interrupt: Interruption | None = None
    """How the agent's turn that follows is cut in on."""
    then_leave: bool = False

    def matches(self, heard: str) -> bool:
        return any(re.search(pattern, heard, re.IGNORECASE) for pattern in self.when_heard)


class RuleBook(BaseModel):
    """A caller with answers to what an agent may ask, in order of preference."""

    model_config = _FROZEN
    rules: Annotated[tuple[Rule, ...], Field(min_length=1)]
    when_lost: str = "Sorry, could you say that again?"
    """Said when no rule fits, or nothing was heard."""
    patience: Annotated[int, Field(ge=0)] = 3
    """How often in a row it says ``when_lost`` before it gives up and leaves."""


class RuleFollower:
    """Plays a ``RuleBook``: the first rule that fits and is not used up answers."""

    def __init__(self, book: RuleBook) -> None:
        self._book = book
        self._left = [rule.times for rule in book.rules]
        self._lost_in_a_row = 0
        self._interruption: Interruption | None = None

    def lines(self) -> Sequence[str]:
        said = [rule.say for rule in self._book.rules]
        cut_in = [rule.then_interrupt.say for rule in self._book.rules if rule.then_interrupt]
        return tuple(dict.fromkeys([*said, *cut_in, self._book.when_lost]))

    def reply_to(self, heard: str) -> Reply:
        self._interruption = None
        for index, rule in enumerate(self._book.rules):
            if self._left[index] and rule.matches(heard):
                self._left[index] -= 1
                self._lost_in_a_row = 0
                self._interruption = rule.then_interrupt
                return Reply(rule.say, rule.then_leave)
        return self.unanswered()

    def unanswered(self) -> Reply:
        self._lost_in_a_row += 1
        if self._lost_in_a_row > self._book.patience:
            return Reply(None, then_leave=True)
        return Reply(self._book.when_lost)

    def interruption(self) -> Interruption | None:
        return self._interruption

    def interrupted(self) -> None:
        self._interruption = None
