"""Tells a call's worker what the carrier thinks of who has answered.

A webhook may reach any replica of the bridge, and may come before the phone's sound. So the worker
is found by the call's lease, and told in its stream of commands. A phone can be picked up before a
worker has claimed its call: then the news waits for it.
"""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from contextlib import suppress
from datetime import UTC, datetime
from types import MappingProxyType
from typing import Self
from uuid import UUID, uuid4

import structlog
from redis.asyncio import Redis

from carriers.call_events import AnsweredBy
from contracts import redis_names
from contracts.commands import Command, MachineReported
from contracts.dialing import DialRequest
from link.connection import LINK_ERRORS

COMMANDS_KEPT = 1_000
COMMANDS_TTL_SECONDS = 3_600
WORKER_WITHIN_SECONDS = 15.0
"""After that, no worker has taken the call, and it has ended as one that nobody served."""
LOOK_EVERY_SECONDS = 0.1
_MACHINES: Mapping[AnsweredBy, bool] = MappingProxyType(
    {
        AnsweredBy.MACHINE: False,
        AnsweredBy.FAX: False,
        AnsweredBy.MACHINE_READY: True,
    }
)
"""Whether what is said now is recorded."""

_log = structlog.get_logger(__name__)


class MachineNews:
    """A context: on leaving it, news that still waits for a worker is dropped."""

    def __init__(self, redis: Redis) -> None:
        self._redis = redis
        self._waiting: set[asyncio.Task[None]] = set()

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *_: object) -> None:
        for task in self._waiting:
            task.cancel()
        if self._waiting:
            await asyncio.wait(self._waiting)

    async def tell(self, dialed: DialRequest, answered_by: AnsweredBy) -> None:
        """People are not told of: the worker listens itself, too.

        Raises:
            RedisError, OSError: Redis is away.
        """
        log = _log.bind(call_id=str(dialed.call_id), answered_by=answered_by.value)
        log.info("carrier_detected_machine_or_person")
        records = _MACHINES.get(answered_by)
        if records is None:
            return
        report = MachineReported(participant_id=dialed.participant_id, records=records)
        if not await self._told_worker(dialed.call_id, report):
            # The carrier waits for the answer to its webhook.
            waiting = asyncio.create_task(self._tell_once_claimed(dialed.call_id, report))
            self._waiting.add(waiting)
            waiting.add_done_callback(self._waiting.discard)

    async def _tell_once_claimed(self, call_id: UUID, report: MachineReported) -> None:
        try:
            async with asyncio.timeout(WORKER_WITHIN_SECONDS):
                while True:
                    await asyncio.sleep(LOOK_EVERY_SECONDS)
                    with suppress(*LINK_ERRORS):
                        if await self._told_worker(call_id, report):
                            return
        except TimeoutError:
            _log.warning("machine_without_worker", call_id=str(call_id))

    async def _told_worker(self, call_id: UUID, report: MachineReported) -> bool:
        """False: no worker has claimed the call yet."""
        worker_id = await self._redis.get(redis_names.call_lease(call_id))
        if worker_id is None:
            return False
        command = Command(
            command_id=uuid4(), call_id=call_id, issued_at=datetime.now(UTC), body=report
        )
        stream = redis_names.worker_commands(str(worker_id))
        async with self._redis.pipeline(transaction=False) as pipe:
            pipe.xadd(stream, {redis_names.FIELD: command.model_dump_json()}, maxlen=COMMANDS_KEPT)
            pipe.expire(stream, COMMANDS_TTL_SECONDS)
            await pipe.execute()
        return True
