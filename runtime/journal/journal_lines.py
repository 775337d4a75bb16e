"""Reading the lines of a journal that an earlier process left. Pure."""

from __future__ import annotations

from array import array
from dataclasses import dataclass, field
from typing import Any

from pydantic import ValidationError

from contracts.call_plan import CallPlan
from contracts.events import CallEvent, EventEnvelope
from contracts.versions import call_id_in, fault, read_json


class JournalUnreadable(Exception):
    """The first line is not a call plan."""


class JournalOfAnotherRelease(Exception):
    """The first line is a call plan that this release cannot read."""


@dataclass
class JournalLines:
    """``ends`` holds the byte offset of the end of the plan (index 0) and of each event (index
    ``seq``). ``events`` are those that this release can read."""

    plan: CallPlan
    ends: array[int]
    events: list[CallEvent] = field(default_factory=list)
    has_ended: bool = False


def read_journal(content: bytes) -> JournalLines:
    """The plan and the events up to the first incomplete line.

    An event of another release, which this one cannot read, counts like any other: it is shipped
    as it was written.

    Raises:
        JournalUnreadable, JournalOfAnotherRelease: there is no plan that can be read.
    """
    lines = content.split(b"\n")[:-1]
    if not lines:
        raise JournalUnreadable("no complete line")
    try:
        plan = read_json(CallPlan, lines[0])
    except ValidationError as error:
        if call_id_in(lines[0]) is None:
            raise JournalUnreadable(fault(error)) from error
        raise JournalOfAnotherRelease(fault(error)) from error
    journal = JournalLines(plan, array("Q", [len(lines[0]) + 1]))
    for line in lines[1:]:
        try:
            journaled = _JournaledEvent.model_validate_json(line)
        except ValidationError:
            break
        if journaled.seq != len(journal.ends):
            break
        journal.ends.append(journal.ends[-1] + len(line) + 1)
        journal.has_ended = journaled.ends_call
        try:
            journal.events.append(read_json(CallEvent, line))
        except ValidationError:
            continue
    return journal


class _JournaledEvent(EventEnvelope):
    """What every release can read of an event."""

    body: Any = None

    @property
    def ends_call(self) -> bool:
        return isinstance(self.body, dict) and self.body.get("type") == "call.ended"
