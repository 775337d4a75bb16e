"""Tells a call's worker what the carrier thinks of who has answered.

A webhook may reach any replica of the bridge, and may come before the phone's sound. So the worker
is found by the call's lease, and told in its stream of commands.
"""

from __future__ import annotations

from datetime import UTC, datetime
from uuid import uuid4

import structlog
from redis.asyncio import Redis

from carriers.call_events import AnsweredBy
from contracts import redis_names
from contracts.commands import Command, MachineReported
from contracts.dialing import DialRequest

COMMANDS_KEPT = 1_000
COMMANDS_TTL_SECONDS = 3_600
_MACHINES = {
    AnsweredBy.MACHINE: False,
    AnsweredBy.FAX: False,
    AnsweredBy.MACHINE_READY: True,
}
"""Whether what is said now is recorded."""

_log = structlog.get_logger(__name__)


class MachineNews:
    def __init__(self, redis: Redis) -> None:
        self._redis = redis

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
        worker_id = await self._redis.get(redis_names.call_lease(dialed.call_id))
        if worker_id is None:
            log.info("machine_without_worker")
            return
        command = Command(
            command_id=uuid4(),
            call_id=dialed.call_id,
            issued_at=datetime.now(UTC),
            body=MachineReported(participant_id=dialed.participant_id, records=records),
        )
        stream = redis_names.worker_commands(str(worker_id))
        async with self._redis.pipeline(transaction=False) as pipe:
            pipe.xadd(stream, {redis_names.FIELD: command.model_dump_json()}, maxlen=COMMANDS_KEPT)
            pipe.expire(stream, COMMANDS_TTL_SECONDS)
            await pipe.execute()
