"""What an adapter for a carrier implements.

An adapter only translates. It knows nothing of Redis, retries or calls. ``Attempt`` limits the
ringing and asks for the hang-up.
"""

from __future__ import annotations

from collections.abc import AsyncIterator
from dataclasses import dataclass
from typing import Protocol

from contracts.dial_outcome import DialOutcome
from contracts.dialing import DialRequest


@dataclass(frozen=True)
class Ringing:
    """The phone rings. Some networks never say so."""


@dataclass(frozen=True)
class Answered:
    """The phone was picked up."""


@dataclass(frozen=True)
class Ended:
    """The leg is over; nothing follows. ``outcome`` says why nobody answered, and is ``None`` after
    ``Answered``. ``detail`` is the carrier's own
    description."""

    outcome: DialOutcome | None
    detail: str | None = None


LegState = Ringing | Answered | Ended


class CarrierRefused(Exception):
    """The carrier refused to place a call or to hang up. ``is_too_soon``: only because it takes no
    more requests at the moment."""

    def __init__(self, outcome: DialOutcome, detail: str, *, is_too_soon: bool = False) -> None:
        super().__init__(detail)
        self.outcome = outcome
        self.detail = detail
        self.is_too_soon = is_too_soon


class DialedLeg(Protocol):
    """One call that a carrier places for us."""

    def states(self) -> AsyncIterator[LegState]:
        """Its states as they happen, up to ``Ended``. Call this once.

        When the connection to the carrier is lost for good, the adapter ends the stream without
        ``Ended``.
        """
        ...

    async def hang_up(self) -> None:
        """End the call, whatever its state; ``states`` then reports it. Harmless when it is over.

        Raises:
            CarrierRefused: the carrier did not hang up.
        """
        ...

    async def give_up(self) -> None:
        """Nobody follows the call any more, and nobody has seen its end: should the carrier still
        tell of it, it is hung up. Never raises."""
        ...


class Carrier(Protocol):
    @property
    def name(self) -> str:
        """As ``end_reason`` names it, such as ``twilio``."""
        ...

    async def dial(self, request: DialRequest) -> DialedLeg:
        """Place a call from ``request.from_number`` to ``request.to_number``.

        Raises:
            CarrierRefused: the call was not placed.
        """
        ...
