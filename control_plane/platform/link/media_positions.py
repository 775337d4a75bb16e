"""How far each call's audio has come, as the workers' heartbeats say."""

from __future__ import annotations

from collections.abc import Collection
from uuid import UUID

import structlog
from pydantic import ValidationError
from redis.asyncio import Redis

from contracts import redis_names
from contracts.heartbeat import CallMedia
from contracts.versions import read_json

_log = structlog.get_logger(__name__)


async def media_position(redis: Redis, call_id: UUID) -> CallMedia | None:
    """The last known position of one call."""
    document = await redis.hget(redis_names.MEDIA, str(call_id))
    return _parsed(str(call_id), document)


async def all_media_positions(redis: Redis) -> dict[UUID, CallMedia]:
    """The last known position of every call that has one."""
    documents = await redis.hgetall(redis_names.MEDIA)
    parsed = (_parsed(str(field), document) for field, document in documents.items())
    return {media.call_id: media for media in parsed if media is not None}


async def forget_media_positions(redis: Redis, call_ids: Collection[UUID]) -> None:
    """Drop the positions of calls that are settled."""
    if call_ids:
        await redis.hdel(redis_names.MEDIA, *(str(call_id) for call_id in call_ids))


def _parsed(call_id: str, document: str | bytes | None) -> CallMedia | None:
    if document is None:
        return None
    try:
        return read_json(CallMedia, document)
    except ValidationError:
        _log.exception("media_position_unreadable", call_id=call_id)
        return None
