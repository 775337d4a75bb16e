"""The control plane's side of calls that come in through the bridges."""

from __future__ import annotations

import structlog
from pydantic import ValidationError
from redis.asyncio import Redis

from contracts import redis_names
from contracts.inbound_calls import InboundAnswer, InboundCall, InboundReply
from contracts.versions import fault, read_json
from control_plane.platform.link.event_stream import BATCH, BLOCK_SECONDS
from link.consumer_group import ConsumerGroup

REPLY_TTL_SECONDS = 30
_log = structlog.get_logger(__name__)


def inbound_group(redis: Redis, consumer_name: str) -> ConsumerGroup:
    """A consumer of inbound calls. ``redis`` allows for ``BLOCK_SECONDS``."""
    return ConsumerGroup(
        redis,
        redis_names.INBOUND_CALLS,
        redis_names.INBOUND_GROUP,
        consumer_name,
        batch=BATCH,
        block_ms=int(BLOCK_SECONDS * 1000),
    )


def read_call(document: str) -> InboundCall | None:
    """``None`` if it cannot be read."""
    try:
        return read_json(InboundCall, document)
    except ValidationError as error:
        _log.error("inbound_call_unreadable", fault=fault(error))
        return None


async def answer(redis: Redis, call: InboundCall, body: InboundAnswer) -> None:
    """
    Raises:
        RedisError, OSError: the bridge may or may not have the answer.
    """
    reply = InboundReply(request_id=call.request_id, body=body)
    key = redis_names.reply(call.request_id)
    async with redis.pipeline(transaction=False) as pipe:
        pipe.rpush(key, reply.model_dump_json())
        pipe.expire(key, REPLY_TTL_SECONDS)
        await pipe.execute()
