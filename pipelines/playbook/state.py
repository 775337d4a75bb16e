"""The state of a dialogue and the next reply. Immutable: every step makes a new state."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import Enum, auto

from pipelines.playbook.slot_tools import ToolUse


class Topic(Enum):
    OPENER = auto()
    FIELD = auto()
    CONFIRM = auto()
    """The agent has summed up: is everything right?"""
    CHANGE = auto()
    """The summary was wrong: what should change?"""
    CLOSING = auto()
    """A closing that is a question."""
    ANYTHING_ELSE = auto()
    GO_ON = auto()
    """The caller asked for a person: continue without one?"""


@dataclass(frozen=True, slots=True)
class Question:
    topic: Topic
    key: str = ""
    """The field that is asked for, if the topic is ``FIELD``."""


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
    """Fields that were not understood, or that the caller does not want to answer."""
    asked: Mapping[str, int] = field(default_factory=dict)
    """How often each field was asked for."""
    pending: Question | None = None
    """The last question; ``None`` before the opener."""
    misses: int = 0
    """How many answers to ``pending`` in a row were not understood."""
    turn: int = 0
    """Counts replies, so that the wording varies."""
    is_question_heard: bool = True
    """False when the caller interrupted before ``pending`` was spoken."""
    was_nudged: bool = False
    """The platform has asked a question since ("Are you still there?")."""
    digits_so_far: str = ""
    """The part of a phone number that was dictated so far."""
    last_reply: str = ""
    is_confirmed: bool = False
    is_unconfirmable: bool = False
    """The caller never confirmed the summary, so the fallback replaces the closing."""
    has_declined: bool = False
    """The caller is not interested, and the agent has answered that once."""
    said: Mapping[str, int] = field(default_factory=dict)
    """How often each question was put in these words."""
    is_closing_said: bool = False
    is_ended: bool = False
    if_failed: State | None = None
    """The state if a tool of the last reply failed, so that its other words were said."""


@dataclass(frozen=True, slots=True)
class Reply:
    text: str
    """Never empty."""
    slots: Mapping[str, str]
    """All slot values understood so far, canonical, by the playbook's slot names."""
    end_call: bool = False
    note: str | None = None
    """For the call's event log."""
    tools: tuple[ToolUse, ...] = ()
    """To be called before the text is said."""
    transfer: ToolUse | None = None
    """Called once the text is said: it connects the caller to a person."""
    if_failed: Reply | None = None
    """Said instead if one of the tools fails."""
