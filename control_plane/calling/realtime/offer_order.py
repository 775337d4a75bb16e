"""Offers of one client in the order in which it made them.

A client whose network has failed sends one offer after the other. What carries requests may keep
the first ones and deliver them when the network is back, after a later one is connected. Such an
offer would replace that connection by one that its client has given up.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from uuid import UUID

from redis.asyncio import Redis

from contracts import redis_names

HEADER = "Offer-Order"
PATTERN = r"^([A-Za-z0-9_-]{1,64})/([1-9][0-9]{0,8})$"
REMEMBERED_SECONDS = 600
"""After the last offer. Nothing keeps a request longer."""


@dataclass(frozen=True)
class OfferOrder:
    """The place of an offer among those of its client."""

    client: str
    """A name that the client makes up for itself. One that begins again makes up another one."""
    number: int

    @classmethod
    def parse(cls, text: str) -> OfferOrder:
        """Raises:
        ValueError: ``text`` is not of the form ``client/number``.
        """
        found = re.match(PATTERN, text)
        if found is None:
            raise ValueError(f"{text!r} is not of the form client/number")
        return cls(found[1], int(found[2]))


async def is_newest(redis: Redis, call_id: UUID, participant_id: UUID, order: OfferOrder) -> bool:
    """Note that the offer has arrived. ``False`` if it or a later one did so before.

    Raises:
        RedisError: Redis went away.
    """
    key = redis_names.offers(call_id)
    member = f"{participant_id}/{order.client}"
    async with redis.pipeline(transaction=True) as pipe:
        pipe.zadd(key, {member: order.number}, gt=True, ch=True)
        pipe.expire(key, REMEMBERED_SECONDS)
        changed, _ = await pipe.execute()
    return bool(changed)
