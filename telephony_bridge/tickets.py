"""One-time tokens: they join a carrier's media websocket to the call that we admitted.

A token lives in Redis, so any replica of the bridge can take the websocket. Taking it removes it:
a second websocket with the same token finds nothing. Only the token's hash is stored.
"""

from __future__ import annotations

import secrets
from functools import partial
from hashlib import sha256
from typing import Literal
from uuid import UUID

from pydantic import BaseModel, ConfigDict, ValidationError
from redis.asyncio import Redis

from contracts.phone_media import LegAddress
from contracts.versions import read_json
from telephony_bridge.link_patience import patiently

TICKET_SECONDS = 60
"""From our answer to the carrier's websocket. Carriers connect within a second or two."""
_OVER = "over"
"""In place of the ticket of a call."""


class LegTicket(BaseModel):
    """Which leg a media websocket will carry. Numbers are E.164, or empty if withheld."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    version: Literal[1] = 1
    call_id: UUID
    tenant_id: UUID
    participant_id: UUID
    attempt_id: UUID
    account_id: UUID
    carrier: str
    carrier_call_id: str
    direction: Literal["inbound", "outbound"]
    from_number: str
    to_number: str

    @property
    def address(self) -> LegAddress:
        return LegAddress(self.call_id, self.participant_id, self.attempt_id)


class Tickets:
    def __init__(self, redis: Redis) -> None:
        self._redis = redis

    async def issue(self, ticket: LegTicket) -> str | None:
        """The token: letters and digits only, as the strictest carrier wants it. ``None``: the call
        is over, and its end was told before we knew what becomes of it.

        Raises:
            RedisError, OSError: Redis is away.
        """
        token, document = secrets.token_hex(24), ticket.model_dump_json()
        async with self._redis.pipeline(transaction=False) as pipe:
            pipe.set(_key(token), document, ex=TICKET_SECONDS)
            call = _call_key(ticket.account_id, ticket.carrier_call_id)
            pipe.set(call, document, ex=TICKET_SECONDS, get=True)
            _, before = await pipe.execute()
        return None if before == _OVER else token

    async def end(self, account_id: UUID, carrier_call_id: str) -> LegTicket | None:
        """A call is over, whether or not it has a ticket yet. Returns the one whose sound has not
        come.

        Raises:
            RedisError, OSError: Redis is away.
        """
        call = _call_key(account_id, carrier_call_id)
        before = await self._redis.set(call, _OVER, ex=TICKET_SECONDS, get=True)
        return _read(None if before is None else str(before))

    async def redeem(self, token: str, account_id: UUID) -> LegTicket | None:
        """The ticket, once. ``None`` if there is none, or it belongs to another account. Carriers
        bring it only once, so this waits a moment for Redis.

        Raises:
            RedisError, OSError: Redis is away.
        """
        ticket = _read(await patiently(partial(self._redis.getdel, _key(token))))
        if ticket is None or ticket.account_id != account_id:
            return None
        call_key = _call_key(account_id, ticket.carrier_call_id)
        await patiently(partial(self._redis.delete, call_key))
        return ticket

    async def of_call(self, account_id: UUID, carrier_call_id: str) -> LegTicket | None:
        """The ticket of a call whose sound has not come yet; ``None`` if there is none.

        Raises:
            RedisError, OSError: Redis is away.
        """
        return _read(await self._redis.get(_call_key(account_id, carrier_call_id)))


def _read(document: str | bytes | None) -> LegTicket | None:
    if document is None:
        return None
    try:
        return read_json(LegTicket, document)
    except ValidationError:
        return None


def _key(token: str) -> str:
    return f"switchboard:bridge:ticket:{sha256(token.encode()).hexdigest()}"


def _call_key(account_id: UUID, carrier_call_id: str) -> str:
    # A carrier's id may be long, and may hold anything.
    call = sha256(carrier_call_id.encode()).hexdigest()
    return f"switchboard:bridge:caller:{account_id}:{call}"
