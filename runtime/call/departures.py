"""Who has left a call or lost it, and whether that ends the call. Pure."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from uuid import UUID

from runtime.call.end_cause import Cause, Ending
from runtime.media.room import GoneCause


@dataclass(frozen=True)
class Departure:
    """How somebody has gone who was in the call."""

    has_left: bool
    """They hung up. Otherwise their connection was lost."""
    lost_carrier: str | None
    """The carrier of a phone whose line was lost on our side."""
    ending: Ending | None
    """Of a call in which nobody else is; ``None``: it waits, for they may come back."""


class Departures:
    """
    Args:
        planned: whom the call was made for.
    """

    def __init__(self, planned: Iterable[UUID]) -> None:
        self._planned = frozenset(planned)
        self._carriers: dict[UUID, str] = {}
        """Of those who are on phones."""
        self._lost_lines: dict[UUID, str] = {}
        self._answered: set[UUID] = set()
        self._anybody_came = False
        self._hung_up: set[UUID] = set()
        self._last_lost: UUID | None = None
        self._losses = 0

    def phone_opened(self, participant_id: UUID, carrier: str) -> None:
        """The phone is here, for the first time or again."""
        self._carriers[participant_id] = carrier
        self._lost_lines.pop(participant_id, None)

    def offer_answered(self, participant_id: UUID) -> None:
        """A browser has an answer to its offer, and may connect at any moment."""
        self._answered.add(participant_id)

    def connected(self, participant_id: UUID) -> None:
        """Somebody's media is connected, for the first time or again."""
        self._anybody_came = True
        self._hung_up.discard(participant_id)

    def hung_up(self, participant_id: UUID, lost_carrier: str | None) -> None:
        """Somebody hangs up. With ``lost_carrier`` the control plane has noticed that nothing
        carries the phone any more."""
        self._hung_up.add(participant_id)
        if lost_carrier is not None:
            self._lost_lines[participant_id] = lost_carrier

    @property
    def nobody_comes(self) -> bool:
        """Whether everybody has left before joining: phones before their sound came, browsers while
        they connected."""
        return not self._anybody_came and self._hung_up >= self._planned

    def ending_at_hang_up(
        self, participant_id: UUID, lost_carrier: str | None, *, anybody_stays: bool
    ) -> Ending | None:
        """What somebody's hanging up means for the call at once; ``None``: nothing yet.

        A browser that hangs up also closes its connection, and we may notice that first. Its
        participant, who seemed lost, has then left. A browser with an answer may have connected
        just now: what its leg tells comes first.
        """
        seemed_lost = participant_id == self._last_lost and not anybody_stays
        never_comes = self.nobody_comes and participant_id not in self._answered
        if not (seemed_lost or never_comes):
            return None
        if lost_carrier is not None:
            return Ending.line_lost(lost_carrier)
        return Ending.because(Cause.LAST_LEG_LEFT)

    def gone(self, participant_id: UUID, cause: GoneCause) -> Departure:
        """The leg of somebody who was in the call is gone for ``cause``."""
        lost_carrier = self._lost_carrier(participant_id, cause)
        if lost_carrier is not None:
            return Departure(False, lost_carrier, Ending.line_lost(lost_carrier))
        if cause == "left" or participant_id in self._hung_up:
            return Departure(True, None, Ending.because(Cause.LAST_LEG_LEFT))
        if cause == "stayed_away":
            return Departure(False, None, Ending.because(Cause.LAST_LEG_LOST))
        return Departure(False, None, None)

    def _lost_carrier(self, participant_id: UUID, cause: GoneCause) -> str | None:
        """A carrier says when a person hangs up. So the line of a phone that only stays away was
        lost: its bridge, or what lies between, is dead."""
        if cause == "stayed_away":
            return self._carriers.get(participant_id)
        return self._lost_lines.get(participant_id)

    def awaited(self, participant_id: UUID) -> int:
        """The last connection was closed, and its participant may come back. Returns the number of
        this loss."""
        self._last_lost = participant_id
        self._losses += 1
        return self._losses

    def is_latest(self, loss: int) -> bool:
        """Whether no connection was lost after this one: the time to come back begins again with
        each."""
        return loss == self._losses
