"""Where a conversation stands, and what is said next. Immutable: every step makes a new one."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import Enum, auto


class Topic(Enum):
    OPENER = auto()
    FIELD = auto()
    CONFIRM = auto()
    """The summary: is everything right?"""
    CHANGE = auto()
    """The summary was not right: what should change?"""
    CLOSING = auto()
    """A closing that is itself a question."""
    ANYTHING_ELSE = auto()
    GO_ON = auto()
    """The caller asked for a person: go on without one?"""


@dataclass(frozen=True, slots=True)
class Question:
    topic: Topic
    key: str = ""
    """The field asked for, with ``Topic.FIELD``."""


@dataclass(frozen=True, slots=True)
class Value:
    value: str
    """Canonical: an ISO date, HH:MM, E.164, digits, or the caller's words."""
    spoken: str


@dataclass(frozen=True, slots=True)
class State:
    values: Mapping[str, Value] = field(default_factory=dict)
    """By field key, in the order in which they were last filled."""
    skipped: frozenset[str] = frozenset()
    """Fields that could not be understood or that the caller keeps to themselves."""
    asked: Mapping[str, int] = field(default_factory=dict)
    """How many times each field has been asked for."""
    pending: Question | None = None
    """What the caller was last asked; None before the opener."""
    misses: int = 0
    """Answers to ``pending`` in a row that were not understood."""
    turn: int = 0
    """Counts replies, so that wordings take turns."""
    is_question_heard: bool = True
    """False when the caller interrupted before ``pending`` was spoken."""
    was_nudged: bool = False
    """The platform has since asked something of its own ("Are you still there?")."""
    digits_so_far: str = ""
    """The part of a phone number that has been dictated."""
    last_reply: str = ""
    is_confirmed: bool = False
    is_unconfirmable: bool = False
    """Given up on confirming: the fallback takes the closing's place."""
    is_closing_said: bool = False
    is_ended: bool = False


@dataclass(frozen=True, slots=True)
class Reply:
    text: str
    """Never empty."""
    slots: Mapping[str, str]
    """All slot values understood so far, canonical, by the playbook's slot names."""
    end_call: bool = False
    note: str | None = None
    """For the call's event log."""
