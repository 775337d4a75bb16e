"""What happens in one simulated call. Pure: dice in, events out."""

from __future__ import annotations

import random
from collections.abc import Iterator
from dataclasses import dataclass
from enum import StrEnum

from contracts.call_plan import CallPlan
from contracts.end_reasons import EndReason
from contracts.events import (
    CallEnded,
    CallMetered,
    CallStarted,
    EventBody,
    LegJoined,
    LegLeft,
    Logged,
    RoomOpened,
    SlotsCollected,
    TranscriptSegment,
    TurnMeasured,
    UsageReported,
)

REASONS = (
    EndReason.PARTICIPANT_DISCONNECTED,
    EndReason.NORMAL_HANGUP,
    EndReason.SILENCE_TIMEOUT,
    EndReason.SESSION_ERROR,
)

MOST_BETWEEN_UTTERANCES_MS = 1_100
"""A simulated call takes a moment, and no worker is believed that reports much more time than has
passed (``control_plane.calling.calls.connected_time``)."""


class Death(StrEnum):
    """When the worker of a call dies, if it does, and whether its disk is seen again."""

    NEVER = "never"
    FOR_GOOD = "for_good"
    RESTARTED = "restarted"
    """A successor ships what the journal still holds."""


@dataclass(frozen=True)
class Fate:
    """``bodies`` are the call's events, the end included; a worker that dies gets as far as
    ``dies_after`` of them."""

    bodies: tuple[EventBody, ...]
    death: Death
    dies_after: int


def draw_deaths(dice: random.Random) -> Iterator[Death]:
    """Of twenty calls in a row, one of each kind but ``NEVER``."""
    while True:
        deaths = [Death.FOR_GOOD, Death.RESTARTED, *[Death.NEVER] * 18]
        dice.shuffle(deaths)
        yield from deaths


def draw_fate(plan: CallPlan, death: Death, dice: random.Random) -> Fate:
    bodies = _never_joined() if dice.random() < 0.05 else _conversation(plan, dice)
    return Fate(tuple(bodies), death, dice.randint(1, len(bodies) - 1))


def _never_joined() -> list[EventBody]:
    ended = CallEnded(end_reason=EndReason.ROOM_CONNECTION_FAILED, connected_ms=None)
    return [RoomOpened(), Logged(level="info", message="line 0"), ended]


def _conversation(plan: CallPlan, dice: random.Random) -> list[EventBody]:
    caller = plan.participants[0].participant_id
    bodies: list[EventBody] = [
        RoomOpened(),
        CallStarted(participant_id=caller),
        LegJoined(participant_id=caller),
    ]
    at_ms = 0
    for turn in range(dice.randint(1, 4)):
        for sequence, speaker in ((2 * turn, "agent"), (2 * turn + 1, "user")):
            bodies.append(
                TranscriptSegment(
                    sequence=sequence,
                    speaker="agent" if speaker == "agent" else "user",
                    text=f"utterance {sequence}",
                    started_at_ms=at_ms,
                    ended_at_ms=at_ms + 900,
                )
            )
            at_ms += dice.randint(100, MOST_BETWEEN_UTTERANCES_MS)
        bodies += [
            TurnMeasured(sequence=2 * turn, llm_first_token_ms=200, end_to_end_ms=700),
            UsageReported(
                channel="llm", provider="offline", model="playbook", input_tokens=10 * (turn + 1)
            ),
            Logged(level="info", message=f"line {turn}"),
            CallMetered(connected_ms=at_ms),
        ]
    bodies += [
        SlotsCollected(slots={"turns": str(at_ms)}),
        LegLeft(participant_id=caller, cause="left"),
        CallEnded(end_reason=dice.choice(REASONS), connected_ms=at_ms + 500),
    ]
    return bodies
