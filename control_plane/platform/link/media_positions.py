"""How far each call's audio has come, as the workers' heartbeats say."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from datetime import datetime
from uuid import UUID

import structlog
from pydantic import ValidationError
from redis.asyncio import Redis

from contracts import redis_names
from contracts.heartbeat import CallMedia
from contracts.versions import read_json

PAGE = 1_000
_log = structlog.get_logger(__name__)


async def media_position(redis: Redis, call_id: UUID) -> CallMedia | None:
    """The last known position of one call."""
    document = await redis.hget(redis_names.MEDIA, str(call_id))
    return _parsed(str(call_id), document)


async def media_positions(redis: Redis, call_ids: Sequence[UUID]) -> dict[UUID, CallMedia]:
    """The last known positions of those of the calls that have one."""
    if not call_ids:
        return {}
    documents = await redis.hmget(redis_names.MEDIA, [str(call_id) for call_id in call_ids])
    parsed = (
        _parsed(str(call_id), document)
        for call_id, document in zip(call_ids, documents, strict=True)
    )
    return {media.call_id: media for media in parsed if media is not None}


async def stale_media_positions(
    redis: Redis, running: Collection[UUID], written_before: datetime
) -> list[UUID]:
    """Calls that are not ``running``, with a position that was written before that time."""
    stale: list[UUID] = []
    async for field, document in redis.hscan_iter(redis_names.MEDIA, count=PAGE):
        if UUID(field) not in running:
            media = _parsed(str(field), document)
            if media is not None and media.sent_at < written_before:
                stale.append(media.call_id)
    return stale


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
