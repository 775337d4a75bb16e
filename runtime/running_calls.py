"""The calls that a worker runs, found by their ids."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from http import HTTPStatus
from uuid import UUID

from contracts.phone_media import LegAddress
from runtime.call.call import Call
from runtime.media.phones.listener import AdmitLeg, LegRefused

LEG_ARRIVAL_SECONDS = 1.5
"""How long a bridge waits for the call of its leg: the lease is taken before the journal is
written. Shorter than a websocket may take to open."""


class RunningCalls:
    """A client may act on a call as soon as its lease is taken. The call is here a moment later,
    when its journal is on the disk, so that others can wait for it."""

    def __init__(self) -> None:
        self._calls: dict[UUID, Call] = {}
        self._awaited: dict[UUID, set[asyncio.Future[Call]]] = {}

    def __iter__(self) -> Iterator[Call]:
        return iter(list(self._calls.values()))

    def add(self, call: Call) -> None:
        call_id = call.plan.call_id
        self._calls[call_id] = call
        for arrival in self._awaited.pop(call_id, ()):
            if not arrival.done():
                arrival.set_result(call)

    def remove(self, call: Call) -> None:
        del self._calls[call.plan.call_id]

    def find(self, call_id: UUID) -> Call | None:
        return self._calls.get(call_id)

    async def wait_for(self, call_id: UUID, within_seconds: float) -> Call | None:
        """The call as soon as it is here; ``None`` if it does not come in time."""
        if (call := self.find(call_id)) is not None:
            return call
        arrival: asyncio.Future[Call] = asyncio.get_running_loop().create_future()
        self._awaited.setdefault(call_id, set()).add(arrival)
        try:
            async with asyncio.timeout(within_seconds):
                return await arrival
        except TimeoutError:
            return None
        finally:
            if others := self._awaited.get(call_id):
                others.discard(arrival)
                if not others:
                    del self._awaited[call_id]

    async def find_for_leg(self, leg: LegAddress) -> AdmitLeg:
        """What lets a phone leg into its call.

        Raises:
            LegRefused: the call is not here.
        """
        call = await self.wait_for(leg.call_id, LEG_ARRIVAL_SECONDS)
        if call is None:
            raise LegRefused(HTTPStatus.NOT_FOUND, "This worker does not run the call.")
        return call.add_phone
