"""Decides what a caller says from what it hears."""

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
"""How many times in a row ``WHEN_LOST`` is said before the caller gives up."""


@dataclass(frozen=True)
class Reply:
    """What to say next, and whether to hang up then. Without ``text`` the caller just hangs up."""

    text: str | None
    then_leave: bool = False


class DialoguePolicy(Protocol):
    """What the caller says in one call. Pure: no clock, no audio."""

    def lines(self) -> Sequence[str]:
        """Everything that it can say, so that the voice can prepare it."""

    def reply_to(self, heard: str) -> Reply:
        """The answer to a finished turn; ``heard`` is empty if no word of it was understood."""

    def unanswered(self) -> Reply:
        """Called when nobody has spoken for a long time."""

    @property
    def may_interrupt(self) -> bool:
        """Whether the agent's words should be recognised while it speaks."""

    def interruption(self, heard_so_far: str) -> str | None:
        """The words that interrupt the agent after ``heard_so_far`` of its turn, or ``None``."""


class LineByLine:
    """Says its lines one by one, each after a turn of the agent, and then hangs up."""

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
    """Said at once while the agent speaks, and never as an answer."""
    leave: bool = False
    """Hang up afterwards."""

    def matches(self, heard: str) -> bool:
        words = _plain(heard)
        return any(_plain(phrase) in words for phrase in self.when_heard)


class RuleFollower:
    """Answers with the first rule that fits. Each rule answers once; only the last answer is
    repeated when the same question comes again."""

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
    """Only the words, each between spaces."""
    return f" {' '.join(re.findall(r'[a-z0-9]+', text.lower()))} "
