"""The phone legs whose media runs through this replica of the bridge."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from uuid import UUID

import structlog
from redis.asyncio import Redis

from contracts.dialing import LegStage
from link.connection import LINK_ERRORS
from telemetry.metrics import PHONE_LEGS
from telephony_bridge.media.relay import CarrierLeg, PhoneRelay
from telephony_bridge.reports import Reports
from telephony_bridge.tickets import LegTicket

_log = structlog.get_logger(__name__)


class MediaLegs:
    """A leg is reported by the replica that carries its media. One that this replica has dialed is
    reported with its attempt. The replica that has dialed another one may have died since.

    Args:
        is_dialed_here: whether this replica follows an attempt that it has dialed.
    """

    def __init__(
        self, redis: Redis, reports: Reports, is_dialed_here: Callable[[UUID], bool]
    ) -> None:
        self._redis = redis
        self._reports = reports
        self._is_dialed_here = is_dialed_here
        self._relays: dict[UUID, PhoneRelay] = {}
        self._idle = asyncio.Event()
        self._idle.set()
        self.are_closing = False
        PHONE_LEGS.set_function(lambda: len(self._relays))

    async def carry(self, ticket: LegTicket, carrier: CarrierLeg) -> None:
        """Returns once the leg is over."""
        relay = PhoneRelay(ticket, carrier, self._redis)
        self._relays[ticket.attempt_id] = relay
        self._idle.clear()
        is_reported = not self._is_dialed_here(ticket.attempt_id)
        if self.are_closing:
            relay.hang_up()
        if is_reported:
            self._reports.add(ticket, LegStage.ANSWERED)
        try:
            await relay.run()
        except LINK_ERRORS as error:
            _log.warning("leg_without_link", call_id=str(ticket.call_id), error=str(error))
        finally:
            if is_reported:
                self._reports.add(ticket, LegStage.ENDED)
            if self._relays.get(ticket.attempt_id) is relay:
                del self._relays[ticket.attempt_id]
            if not self._relays:
                self._idle.set()

    def hang_up(self, attempt_id: UUID) -> bool:
        """``False``: its sound does not run through here. A leg whose worker has hung up ends once
        its last keys are pressed."""
        if (relay := self._relays.get(attempt_id)) is None:
            return False
        relay.hang_up()
        return True

    async def wait_idle(self) -> None:
        """Return once no leg is here."""
        await self._idle.wait()

    async def close(self) -> None:
        """Hang up every leg, and those that still come."""
        self.are_closing = True
        for relay in self._relays.values():
            relay.hang_up()
        await self.wait_idle()
