"""Which of a call's live messages somebody who joins late still needs. Pure."""

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


def positions_to_replay(bodies: Sequence[LiveBody]) -> list[int]:
    """The positions in ``bodies`` (oldest first) that no later one replaces, in order.

    Only the newest message about each utterance and each state is left. Interruptions are left out:
    their effect is in the transcript.
    """
    told: set[object] = set()
    needed = []
    for position in range(len(bodies) - 1, -1, -1):
        body = bodies[position]
        if isinstance(body, Interrupted):
            continue
        subject = _subject(body)
        if subject is not None:
            if subject in told:
                continue
            told.add(subject)
        needed.append(position)
    needed.reverse()
    return needed


def _subject(body: LiveBody) -> object:
    """A later message with the same subject replaces this one; ``None`` if nothing replaces it."""
    match body:
        case LiveTranscript(utterance=utterance):
            return "utterance", utterance
        case ParticipantStateChanged(participant_id=participant_id):
            return "participant", participant_id
        case AgentStateChanged() | UserStateChanged() | RecordingStateChanged():
            return type(body)
        case _:
            return None
