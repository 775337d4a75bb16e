"""An account is set up at its carrier by one process at a time.

Two at once would both find no application of ours there, and would each create one, or give the
same one a key that replaces the other's.
"""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from uuid import UUID

import structlog
from redis.asyncio import Redis

from carriers.api import CarrierProblem, ProblemKind
from link.connection import LINK_ERRORS

HELD_SECONDS = 60.0
"""At most. So long the others wait for a process that has died."""
WAIT_SECONDS = 60.0
_log = structlog.get_logger(__name__)


@asynccontextmanager
async def one_set_up(redis: Redis, account_id: UUID) -> AsyncIterator[None]:
    """Let no other process set up the account within the block. While Redis is away nobody waits
    for anybody.

    Raises:
        CarrierProblem: ``UNREACHABLE``: the set-ups before this one took too long.
    """
    lock = redis.lock(
        f"switchboard:carrier-set-up:{account_id}",
        timeout=HELD_SECONDS,
        blocking_timeout=WAIT_SECONDS,
    )
    try:
        is_ours = await lock.acquire()
    except LINK_ERRORS as error:
        _log.warning("carrier_set_up_without_link", account=str(account_id), error=str(error))
    else:
        if not is_ours:
            raise CarrierProblem(
                ProblemKind.UNREACHABLE,
                "This account is being set up already. Try again in a moment.",
            )
    try:
        yield
    finally:
        # What is not given back lapses.
        with suppress(*LINK_ERRORS):
            await lock.release()
