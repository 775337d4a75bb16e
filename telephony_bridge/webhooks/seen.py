"""What carriers have sent already, remembered by all replicas of the bridge together.

A signature proves who sent a request, not that it was sent just now. So each signed request has a
key that never comes twice, or comes again only because the carrier got no answer in time. The
second one then gets the answer of the first, if there is one: a bridge may have stopped before.
"""

from __future__ import annotations

import asyncio
from hashlib import sha256
from uuid import UUID

from pydantic import BaseModel, ConfigDict, ValidationError
from redis.asyncio import Redis

from carriers.answers import Answer
from contracts.versions import read_json

ANSWER_KEPT_SECONDS = 60
"""A carrier asks again within seconds."""
ANSWER_AWAITED_SECONDS = 3.0
LOOK_EVERY_SECONDS = 0.05
_UNANSWERED, _ANSWERED = "unanswered", "answered"


class _KeptAnswer(BaseModel):
    model_config = ConfigDict(frozen=True)
    content_type: str
    body: str
    status: int


class Seen:
    """Every method raises ``RedisError`` or ``OSError`` while Redis is away."""

    def __init__(self, redis: Redis) -> None:
        self._redis = redis

    async def is_first(self, account_id: UUID, once_key: str, remember_seconds: int) -> bool:
        """Whether the key is new; it is remembered from now on."""
        key = _key(account_id, once_key)
        return bool(await self._redis.set(key, _UNANSWERED, nx=True, ex=max(1, remember_seconds)))

    async def forget(self, account_id: UUID, once_key: str) -> None:
        """The request could not be answered: when it comes again, it is the first."""
        await self._redis.delete(_key(account_id, once_key))

    async def is_unanswered(self, account_id: UUID, once_key: str) -> bool:
        """Whether the first request with the key has no answer: it is being answered, or the
        bridge that was to do so has stopped."""
        return bool(await self._redis.get(_key(account_id, once_key)) == _UNANSWERED)

    async def keep_answer(self, account_id: UUID, once_key: str, answer: Answer) -> None:
        """For the same request, should it come again. Its commands are not kept: they are carried
        out once."""
        kept = _KeptAnswer(content_type=answer.content_type, body=answer.body, status=answer.status)
        async with self._redis.pipeline(transaction=False) as pipe:
            pipe.set(
                _answer_key(account_id, once_key), kept.model_dump_json(), ex=ANSWER_KEPT_SECONDS
            )
            pipe.set(_key(account_id, once_key), _ANSWERED, xx=True, keepttl=True)
            await pipe.execute()

    async def answer(self, account_id: UUID, once_key: str) -> Answer | None:
        """What the first request was answered, as soon as it is; ``None``: nothing in time."""
        key = _answer_key(account_id, once_key)
        for _ in range(round(ANSWER_AWAITED_SECONDS / LOOK_EVERY_SECONDS)):
            if (document := await self._redis.get(key)) is not None:
                break
            await asyncio.sleep(LOOK_EVERY_SECONDS)
        else:
            return None
        try:
            kept = read_json(_KeptAnswer, document)
        except ValidationError:
            return None
        return Answer(kept.content_type, kept.body, kept.status)


def _key(account_id: UUID, once_key: str) -> str:
    # A carrier's key may be long, and may hold anything.
    return f"switchboard:bridge:seen:{account_id}:{sha256(once_key.encode()).hexdigest()}"


def _answer_key(account_id: UUID, once_key: str) -> str:
    return _key(account_id, once_key) + ":answer"
