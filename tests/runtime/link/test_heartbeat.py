"""Which leases a heartbeat renews, on a real Valkey."""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterable
from dataclasses import dataclass, field
from pathlib import Path
from uuid import UUID

import pytest
from redis.asyncio import Redis

from contracts import redis_names
from contracts.heartbeat import CallMedia
from runtime.link.claims import give_back_claim
from runtime.link.heartbeat import Backlog, Heartbeat
from runtime.link.worker_identity import WorkerIdentity
from runtime.slots import Slots

CALL = UUID(int=1)
LEASE = redis_names.call_lease(CALL)


@dataclass
class Carried:
    is_begun: bool = False
    taken_calls: list[UUID] = field(default_factory=list)

    def claimed(self) -> Iterable[UUID]:
        return [] if self.is_begun else [CALL]

    def taken(self, call_id: UUID) -> None:
        self.taken_calls.append(call_id)

    def leased(self) -> Iterable[UUID]:
        return [CALL] if self.is_begun else []

    def media(self) -> Iterable[CallMedia]:
        return []

    def backlog(self) -> Backlog:
        return {"journal_bytes": 0, "journals_are_full": False, "events_are_held_back": False}


@pytest.fixture
async def redis(valkey_url: str) -> AsyncIterator[Redis]:
    async with Redis.from_url(valkey_url, decode_responses=True) as redis:
        yield redis


def heartbeat_of(redis: Redis, folder: Path, calls: Carried) -> Heartbeat:
    return Heartbeat(redis, "w1", WorkerIdentity("w1", folder), Slots(1), calls, lease_seconds=30)


@pytest.mark.parametrize("holder", [None, "w1"])
async def test_a_claim_that_no_other_worker_has_is_renewed(
    redis: Redis, tmp_path: Path, holder: str | None
) -> None:
    if holder is not None:
        await redis.set(LEASE, holder, ex=1)
    calls = Carried()
    await heartbeat_of(redis, tmp_path, calls).beat()
    assert await redis.get(LEASE) == "w1"
    assert 1 < await redis.ttl(LEASE) <= redis_names.CLAIM_TTL_SECONDS
    assert calls.taken_calls == []


async def test_a_claim_that_another_worker_has_taken_is_left_to_it(
    redis: Redis, tmp_path: Path
) -> None:
    await redis.set(LEASE, "w2", ex=redis_names.CLAIM_TTL_SECONDS)
    calls = Carried()
    await heartbeat_of(redis, tmp_path, calls).beat()
    assert await redis.get(LEASE) == "w2"
    assert calls.taken_calls == [CALL]


async def test_a_call_that_has_begun_here_keeps_its_worker(redis: Redis, tmp_path: Path) -> None:
    await redis.set(LEASE, "w2", ex=redis_names.CLAIM_TTL_SECONDS)
    await heartbeat_of(redis, tmp_path, Carried(is_begun=True)).beat()
    assert await redis.get(LEASE) == "w1"


@pytest.mark.parametrize(("holder", "remains"), [("w1", None), ("w2", "w2")])
async def test_only_ones_own_claim_is_given_back(
    redis: Redis, holder: str, remains: str | None
) -> None:
    await redis.set(LEASE, holder)
    await give_back_claim(redis, CALL, "w1")
    assert await redis.get(LEASE) == remains
