"""Carrier accounts in Redis, from where the bridges read them."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from uuid import UUID

import structlog
from pydantic import ValidationError
from redis.asyncio import Redis

from contracts import redis_names
from contracts.carrier_accounts import CarrierAccount
from contracts.sealing import CannotOpen, Sealer
from contracts.versions import read_json

_log = structlog.get_logger(__name__)


async def put(redis: Redis, accounts: Iterable[CarrierAccount]) -> None:
    """
    Raises:
        RedisError, OSError: they may or may not have been written; writing again is harmless.
    """
    async with redis.pipeline(transaction=False) as pipe:
        for each in accounts:
            key, document = str(each.account_id), each.model_dump_json()
            pipe.hset(redis_names.CARRIER_ACCOUNTS, key, document)
        await pipe.execute()


async def remove(redis: Redis, account_ids: Collection[UUID]) -> None:
    """
    Raises:
        RedisError, OSError: they may or may not have been removed.
    """
    if account_ids:
        await redis.hdel(redis_names.CARRIER_ACCOUNTS, *map(str, account_ids))


async def revisions(redis: Redis, sealer: Sealer) -> dict[UUID, int]:
    """The revision of each account that the bridges can use. One whose document cannot be read, or
    was sealed with another key, has revision 0.

    Raises:
        RedisError, OSError: Redis is away.
    """
    found: dict[UUID, int] = {}
    for field, document in (await redis.hgetall(redis_names.CARRIER_ACCOUNTS)).items():
        try:
            account = read_json(CarrierAccount, document)
            sealer.open(account.sealed_credentials)
        except (ValidationError, CannotOpen):
            found[UUID(str(field))] = 0
        else:
            found[account.account_id] = account.revision
    return found
