"""Which participants are on phones, and whose lines were lost on our side. Pure."""

from __future__ import annotations

from uuid import UUID

from runtime.media.room import GoneCause


class PhoneLines:
    def __init__(self) -> None:
        self._carriers: dict[UUID, str] = {}
        self._lost: dict[UUID, str] = {}

    def opened(self, participant_id: UUID, carrier: str) -> None:
        """The phone is here, for the first time or again."""
        self._carriers[participant_id] = carrier
        self._lost.pop(participant_id, None)

    def lost(self, participant_id: UUID, carrier: str) -> None:
        """The control plane has noticed that nothing carries the phone any more."""
        self._lost[participant_id] = carrier

    def lost_carrier(self, participant_id: UUID, cause: GoneCause) -> str | None:
        """The carrier of a participant who is gone for ``cause``, if that was a phone whose line
        was lost: its bridge, or what lies between, is dead. A person who hangs up is told of."""
        if cause == "stayed_away":
            return self._carriers.get(participant_id)
        return self._lost.get(participant_id)
