"""Lets a carrier's media websocket in, and joins it to its call."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from dataclasses import dataclass

import structlog
from redis.asyncio import Redis

from carriers.dialect import Incoming, MediaStream, Started, Stopped
from carriers.signed_request import CarrierRequest, SignatureRefused
from telephony_bridge.hang_up import hang_up
from telephony_bridge.media.carrier_socket import CarrierSocket, SocketClosed
from telephony_bridge.media.legs import MediaLegs
from telephony_bridge.media.relay import CarrierLeg
from telephony_bridge.tickets import LegTicket, Tickets
from telephony_bridge.webhooks.accounts import OpenAccount
from telephony_bridge.webhooks.seen import Seen

START_SECONDS = 5.0
"""How long a carrier may take from the upgrade to its first frame."""
_log = structlog.get_logger(__name__)


class UpgradeRefused(Exception):
    """The websocket is not accepted. ``outcome``: as ``CARRIER_REQUESTS`` counts it."""

    def __init__(self, outcome: str, detail: str) -> None:
        super().__init__(detail)
        self.outcome = outcome


@dataclass(frozen=True)
class Admitted:
    """``ticket`` is ``None`` where the carrier brings the token in its first frames."""

    account: OpenAccount
    ticket: LegTicket | None


class MediaDoor:
    def __init__(
        self,
        redis: Redis,
        seen: Seen,
        tickets: Tickets,
        legs: MediaLegs,
        clock: Callable[[], float],
    ) -> None:
        self._redis = redis
        self._seen = seen
        self._tickets = tickets
        self._legs = legs
        self._clock = clock

    async def check(self, account: OpenAccount, request: CarrierRequest) -> Admitted:
        """Before the websocket is accepted.

        Raises:
            UpgradeRefused
            RedisError, OSError: Redis is away.
        """
        try:
            proof = account.signatures.check_upgrade(request, self._clock())
        except SignatureRefused as refused:
            raise UpgradeRefused("refused", refused.detail) from refused
        if proof.once_key is not None and not await self._seen.is_first(
            account.account_id, proof.once_key, proof.remember_seconds
        ):
            raise UpgradeRefused("refused", "this upgrade request came before")
        if proof.token is None:
            return Admitted(account, None)
        ticket = await self._tickets.redeem(proof.token, account.account_id)
        if ticket is None:
            raise UpgradeRefused("refused", "the token is unknown, used or too old")
        return Admitted(account, ticket)

    async def carry(self, admitted: Admitted, socket: CarrierSocket) -> None:
        """After the websocket was accepted. Returns once the leg is over.

        Raises:
            RedisError, OSError: Redis is away.
        """
        account = admitted.account
        stream = account.spec.media_stream()
        try:
            found = await _started(stream, socket)
            if found is None:
                _log.warning("media_not_started", carrier=account.spec.name.value)
                # Where no ticket is known yet, the call ends with its websocket.
                if admitted.ticket is not None:
                    await hang_up(self._redis, account.api, admitted.ticket)
                return
            started, early = found
            ticket = admitted.ticket
            if ticket is None and started.token is not None:
                ticket = await self._tickets.redeem(started.token, account.account_id)
            if ticket is None:
                _log.warning("media_without_ticket", carrier=account.spec.name.value)
                return
            if started.call_id and started.call_id != ticket.carrier_call_id:
                _log.warning("media_of_another_call", call_id=str(ticket.call_id))
                return
            leg = CarrierLeg(socket, stream, started, early, account.api, account.spec.dtmf)
            await self._legs.carry(ticket, leg)
        finally:
            await socket.close()


async def _started(
    stream: MediaStream, socket: CarrierSocket
) -> tuple[Started, list[Incoming]] | None:
    """``Started`` and what came after it in the same message; ``None`` if it does not come."""
    try:
        async with asyncio.timeout(START_SECONDS):
            while True:
                events = stream.receive(await socket.receive())
                for place, event in enumerate(events):
                    if isinstance(event, Started):
                        return event, events[place + 1 :]
                    if isinstance(event, Stopped):
                        return None
    except (SocketClosed, TimeoutError):
        return None
