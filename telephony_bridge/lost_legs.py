"""Hangs up the legs of bridges that have died, and those that their carrier did not hang up.

A carrier may go on with such a leg: a phone rings on, or its person listens to silence, and it
costs money.
"""

from __future__ import annotations

import asyncio
import time

import structlog
from pydantic import ValidationError
from redis.asyncio import Redis

from carriers.api import CarrierProblem
from contracts import redis_names
from contracts.dialing import LostLeg
from contracts.versions import fault, read_json
from link.consumer_group import ConsumerGroup
from link.persistent_loop import run_persistently
from link.stream_entry import StreamEntry
from telephony_bridge.account_carrier import DialedLegs
from telephony_bridge.webhooks.accounts import Accounts

BATCH = 50
BLOCK_MS = 1_000
RECLAIM_IDLE_MS = 10_000
"""After that another bridge takes over what one has begun."""
FIRST_PAUSE_MS = 500
"""A carrier that does not hang up is asked again once a leg has waited twice as long, and at least
every ``RECLAIM_IDLE_MS``."""
GIVEN_UP_AFTER_SECONDS = 600
RETRY_SECONDS = 0.5

_log = structlog.get_logger(__name__)


class LostLegs:
    """Run one per bridge; each leg is hung up by one of them."""

    def __init__(
        self, redis: Redis, bridge_id: str, accounts: Accounts, dialed: DialedLegs
    ) -> None:
        self._accounts = accounts
        self._dialed = dialed
        self._group = ConsumerGroup(
            redis,
            redis_names.LOST_LEGS,
            redis_names.DIAL_REQUEST_GROUP,
            bridge_id,
            batch=BATCH,
            block_ms=BLOCK_MS,
        )

    async def run(self) -> None:
        """Hang up until cancelled."""
        await run_persistently(
            "lost_legs",
            self.hang_up_new,
            first_pause_seconds=RETRY_SECONDS,
            longest_pause_seconds=RETRY_SECONDS,
        )

    async def hang_up_new(self) -> None:
        """Hang up what has come, or wait up to ``BLOCK_MS`` for it.

        Raises:
            RedisError, OSError: Redis is away.
        """
        entries = await self._group.reclaim(RECLAIM_IDLE_MS) or await self._group.read_new()
        await asyncio.gather(*(self._take(entry) for entry in entries))

    async def _take(self, entry: StreamEntry) -> None:
        waited_ms = time.time() * 1000 - entry.added_at_ms
        if await self._is_done(entry.document, waited_ms / 1000):
            await self._group.finish([entry])
        else:
            pause_ms = min(max(FIRST_PAUSE_MS, int(waited_ms)), RECLAIM_IDLE_MS)
            await self._group.release([entry], RECLAIM_IDLE_MS - pause_ms)

    async def _is_done(self, document: str, waited_seconds: float) -> bool:
        """``False``: ask again."""
        try:
            leg = read_json(LostLeg, document)
        except ValidationError as error:
            _log.error("lost_leg_unreadable", fault=fault(error))
            return True
        log = _log.bind(call_id=str(leg.call_id), attempt_id=str(leg.attempt_id))
        account = await self._accounts.find(leg.account_id)
        carrier_call_id = leg.carrier_call_id or await self._dialed.placed(leg.attempt_id)
        if account is None or carrier_call_id is None:
            # The bridge has died before the carrier had named the call, or the account is gone.
            log.warning("lost_leg_unknown", account_is_known=account is not None)
            return True
        try:
            await account.api.hang_up(carrier_call_id)
        except CarrierProblem as problem:
            if waited_seconds < GIVEN_UP_AFTER_SECONDS:
                log.warning("carrier_did_not_hang_up", error=problem.message)
                return False
            log.error("carrier_never_hung_up", error=problem.message)
        else:
            log.info("lost_leg_hung_up")
        return True
