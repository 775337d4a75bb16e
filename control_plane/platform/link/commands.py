"""Commands to the worker that runs a call, and its answers."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime
from typing import NamedTuple
from uuid import UUID, uuid4

import structlog
from pydantic import ValidationError
from redis.asyncio import Redis

from contracts import redis_names
from contracts.commands import Command, CommandBody, CommandReply, OfferLeg
from contracts.versions import read_json

COMMAND_STREAM_TTL_SECONDS = 3600
"""A worker's stream expires this long after its last command."""

COMMAND_STREAM_LENGTH = 1000
"""Roughly how many commands one worker's stream keeps."""

_log = structlog.get_logger(__name__)


class Addressed(NamedTuple):
    """A command for the worker that runs a call."""

    worker_id: str
    call_id: UUID
    body: CommandBody


async def send(redis: Redis, worker_id: str, call_id: UUID, body: CommandBody) -> None:
    """Send one command. A worker that does not run the call ignores it.

    Raises:
        RedisError: the command may or may not have been sent.
    """
    await send_all(redis, [Addressed(worker_id, call_id, body)])


async def send_all(redis: Redis, commands: Sequence[Addressed]) -> None:
    """Send ``commands`` in this order.

    Raises:
        RedisError: some of them may have been sent.
    """
    if not commands:
        return
    issued_at = datetime.now(UTC)
    async with redis.pipeline(transaction=False) as pipe:
        for worker_id, call_id, body in commands:
            command = Command(command_id=uuid4(), call_id=call_id, issued_at=issued_at, body=body)
            pipe.xadd(
                redis_names.worker_commands(worker_id),
                {redis_names.FIELD: command.model_dump_json()},
                maxlen=COMMAND_STREAM_LENGTH,
            )
        for worker_id in {command.worker_id for command in commands}:
            pipe.expire(redis_names.worker_commands(worker_id), COMMAND_STREAM_TTL_SECONDS)
        await pipe.execute()
    for worker_id, call_id, body in commands:
        _log.info("command_sent", call_id=str(call_id), worker_id=worker_id, command=body.type)


async def offer_leg(
    redis: Redis, worker_id: str, call_id: UUID, offer: OfferLeg, timeout_seconds: float
) -> CommandReply | None:
    """Send ``offer`` and wait for the worker's reply; ``None`` when it does not come in time.

    Raises:
        RedisError: Redis went away.
    """
    await send(redis, worker_id, call_id, offer)
    popped = await redis.brpop([redis_names.reply(offer.reply_to)], timeout=timeout_seconds)
    if popped is None:
        _log.warning("command_unanswered", call_id=str(call_id), worker_id=worker_id)
        return None
    try:
        return read_json(CommandReply, popped[1])
    except ValidationError:
        _log.exception("command_reply_unreadable", call_id=str(call_id), worker_id=worker_id)
        return None
