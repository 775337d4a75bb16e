"""What is remembered of a request that may come again."""

from __future__ import annotations

from uuid import uuid4

from redis.asyncio import Redis

from carriers.answers import Answer
from telephony_bridge.webhooks.seen import Seen

KEY = "plivo:MA1:0542956780446609"


async def test_a_request_is_unanswered_until_its_answer_is_kept(redis: Redis) -> None:
    seen, account_id = Seen(redis), uuid4()
    assert not await seen.is_unanswered(account_id, KEY)
    assert await seen.is_first(account_id, KEY, 60)
    assert await seen.is_unanswered(account_id, KEY)
    await seen.keep_answer(account_id, KEY, Answer("text/plain", "hello"))
    assert not await seen.is_unanswered(account_id, KEY)
    assert not await seen.is_first(account_id, KEY, 60)


async def test_an_answer_does_not_change_how_long_a_request_is_remembered(redis: Redis) -> None:
    seen, account_id = Seen(redis), uuid4()
    await seen.is_first(account_id, KEY, 24 * 3600)
    await seen.keep_answer(account_id, KEY, Answer("text/plain", "hello"))
    keys = [each async for each in redis.scan_iter(f"switchboard:bridge:seen:{account_id}:*")]
    assert max([await redis.ttl(key) for key in keys]) > 23 * 3600
