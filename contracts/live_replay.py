"""What somebody who comes late still has to be told of what a call has said live. Pure."""

from __future__ import annotations

from collections.abc import Sequence

from contracts.live_messages import (
    AgentStateChanged,
    Interrupted,
    LiveBody,
    LiveTranscript,
    ParticipantStateChanged,
    RecordingStateChanged,
    UserStateChanged,
)


def still_telling(bodies: Sequence[LiveBody]) -> list[int]:
    """The positions in ``bodies`` (oldest first) that no later one replaces, in order.

    Of a growing utterance and of each state only the newest is left. An interruption is of the
    moment: its effect is in the transcript.
    """
    told: set[object] = set()
    telling = []
    for position in range(len(bodies) - 1, -1, -1):
        body = bodies[position]
        if isinstance(body, Interrupted):
            continue
        subject = _subject(body)
        if subject is not None:
            if subject in told:
                continue
            told.add(subject)
        telling.append(position)
    telling.reverse()
    return telling


def _subject(body: LiveBody) -> object:
    """What a later message of the same subject replaces; ``None`` for what stays true."""
    match body:
        case LiveTranscript(utterance=utterance):
            return "utterance", utterance
        case ParticipantStateChanged(participant_id=participant_id):
            return "participant", participant_id
        case AgentStateChanged() | UserStateChanged() | RecordingStateChanged():
            return type(body)
        case _:
            return None
