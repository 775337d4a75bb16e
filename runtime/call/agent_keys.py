"""The keys that the agent presses on the phones of its call."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from uuid import UUID

from runtime.media.leg import DtmfNotPossible, LineInterrupted
from runtime.media.room import Room


def press_keys(
    room: Room, people: Iterable[UUID], digits: str, pressed: Callable[[UUID], None]
) -> str | None:
    """Press ``digits`` on the phone of each of ``people`` who has one; ``pressed`` gets who.

    Returns why nobody's phone takes them, for the model; ``None`` if one did.
    """
    fault = "Nobody in this call is on a phone, so there are no keys."
    is_pressed = False
    for participant_id in people:
        try:
            room.send_digits(participant_id, digits)
        except LineInterrupted:
            fault = "The phone's line is interrupted. Press the keys again in a moment."
        except (DtmfNotPossible, KeyError):
            continue
        else:
            is_pressed = True
            pressed(participant_id)
    return None if is_pressed else fault
