"""How many calls a worker may run at once, and which of its calls hold a slot.

A call holds a slot from its first offer on, a phone call from the start. A call that was claimed a
moment ago has one reserved, because its browser will probably make its offer at once. After that it
waits without a slot, so that calls which nobody joins keep no other call out.

Slots are closed while the worker should claim no more calls, for one reason or several. Calls that
were claimed before keep their places, and their offers are answered.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Literal

from contracts.heartbeat import WHY_CLAIMS_NOTHING, WhyClaimsNothing
from runtime.headroom.ramp import Ramp

RESERVED_SECONDS = 3.0
WAITING_PER_SLOT = 8
"""How many calls may wait for their first participant, for each slot. Each has an open room."""


class NoFreeSlot(RuntimeError):
    """Every slot is taken or reserved."""


class Slots:
    """
    Args:
        is_strained: whether the machine has hardly room for more; then calls are claimed slowly.
    """

    def __init__(
        self,
        total: int,
        is_strained: Callable[[], bool] = lambda: False,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self.total = total
        self._is_strained = is_strained
        self._clock = clock
        self._places: set[Place] = set()
        self._closed_for: set[WhyClaimsNothing] = set()
        self._closed_at: float | None = None
        self._ramp = Ramp()
        self._free = asyncio.Event()
        self._free.set()
        self._idle = asyncio.Event()
        self._idle.set()
        self._busy = asyncio.Event()

    @property
    def used(self) -> int:
        """Slots that are taken or reserved. By one more than ``total`` if the last one was taken
        while a call was being claimed for it."""
        return sum(place.state != "waiting" for place in self._places)

    @property
    def waiting(self) -> int:
        """Calls that have taken no slot yet."""
        return sum(place.state != "taken" for place in self._places)

    @property
    def are_empty(self) -> bool:
        """Whether there is no call, not even one that waits."""
        return not self._places

    @property
    def usable(self) -> int:
        """How many slots may be used now: ``total``, or those in use while no call is claimed."""
        return self.used if self.reasons else self.total

    @property
    def reasons(self) -> list[WhyClaimsNothing]:
        """Why no call is claimed now, beside that all slots are taken; the first one is told."""
        holding = set(self._closed_for)
        if self.waiting >= WAITING_PER_SLOT * self.total:
            holding.add("waiting_calls")
        return [reason for reason in WHY_CLAIMS_NOTHING if reason in holding]

    @property
    def closed_seconds(self) -> float:
        """For how long there have been ``reasons``."""
        return 0.0 if self._closed_at is None else self._clock() - self._closed_at

    def close(self, reason: WhyClaimsNothing) -> None:
        """Let no slot count as free until ``open`` with the same reason."""
        self._closed_for.add(reason)
        self.note()

    def open(self, reason: WhyClaimsNothing) -> None:
        self._closed_for.discard(reason)
        self.note()

    def admit(self) -> Place:
        """A place for a call that was just claimed, with a slot reserved."""
        place = Place(self)
        self._places.add(place)
        self._ramp.claimed(self._clock())
        self.note()
        return place

    def leave(self, place: Place) -> None:
        """The call is over."""
        self._places.discard(place)
        self.note()

    def note(self) -> None:
        """A place or a reason has changed."""
        if not self.reasons:
            self._closed_at = None
        elif self._closed_at is None:
            self._closed_at = self._clock()
        for event, holds in (
            (self._free, self.used < self.usable),
            (self._idle, not self._places),
            (self._busy, bool(self._places)),
        ):
            if holds:
                event.set()
            else:
                event.clear()

    async def wait_free(self) -> None:
        """Return once a call may be claimed."""
        while True:
            await self._free.wait()
            pause_seconds = self._ramp.pause_seconds(self._clock(), self.used, self._is_strained())
            if pause_seconds <= 0:
                return
            await asyncio.sleep(pause_seconds)

    async def wait_busy(self) -> None:
        """Return once there is a call."""
        await self._busy.wait()

    async def wait_idle(self) -> None:
        """Return once there is no call."""
        await self._idle.wait()


class Place:
    """One call's place in a worker."""

    def __init__(self, slots: Slots) -> None:
        self.state: Literal["reserved", "waiting", "taken"] = "reserved"
        self._slots = slots
        self._offers = 0
        """Offers that are being answered."""
        self._is_kept = False
        """Whether the slot is this place's until the call is over."""
        self._lapse = asyncio.get_running_loop().call_later(
            RESERVED_SECONDS, self._become, "waiting"
        )

    @contextmanager
    def taken(self) -> Iterator[None]:
        """Hold a slot while an offer is answered, and from then on if nothing is raised.

        Offers may be answered side by side: one that fails takes no slot away from another.

        Raises:
            NoFreeSlot: try again later.
        """
        if self.state == "waiting" and self._slots.used >= self._slots.total:
            raise NoFreeSlot(f"all {self._slots.total} slots are taken")
        self._become("taken")
        self._offers += 1
        try:
            yield
            self._is_kept = True
        finally:
            self._offers -= 1
            if not self._offers and not self._is_kept:
                self._become("waiting")

    def hold(self) -> None:
        """Take a slot even if none is free, and keep it."""
        self._is_kept = True
        self._become("taken")

    def leave(self) -> None:
        """The call is over."""
        self._lapse.cancel()
        self._slots.leave(self)

    def _become(self, state: Literal["waiting", "taken"]) -> None:
        self._lapse.cancel()
        self.state = state
        self._slots.note()
