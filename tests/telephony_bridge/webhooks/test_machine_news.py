"""What the carrier thinks of who has answered reaches the call's worker."""

from __future__ import annotations

import asyncio
from uuid import uuid4

import pytest
from redis.asyncio import Redis

from carriers.call_events import AnsweredBy
from contracts import redis_names
from contracts.commands import Command, MachineReported
from contracts.dialing import DialRequest
from contracts.versions import read_json
from telephony_bridge.webhooks import machine_news
from telephony_bridge.webhooks.machine_news import MachineNews
from tests.telephony_bridge.conftest import ControlPlaneEnd, dial_request

WORKER = "w-1"
COMMANDS = redis_names.worker_commands(WORKER)


@pytest.fixture
def dialed(control_plane: ControlPlaneEnd) -> DialRequest:
    return dial_request(control_plane.admitted, uuid4())


async def claimed(redis: Redis, dialed: DialRequest) -> None:
    await redis.set(redis_names.call_lease(dialed.call_id), WORKER)


async def told(redis: Redis) -> list[MachineReported]:
    commands = [
        read_json(Command, fields[redis_names.FIELD]) for _, fields in await redis.xrange(COMMANDS)
    ]
    return [each.body for each in commands if isinstance(each.body, MachineReported)]


@pytest.mark.parametrize(
    ("answered_by", "records"),
    [
        (AnsweredBy.MACHINE, [False]),
        (AnsweredBy.FAX, [False]),
        (AnsweredBy.MACHINE_READY, [True]),
        (AnsweredBy.HUMAN, []),
        (AnsweredBy.UNKNOWN, []),
    ],
)
async def test_a_worker_hears_of_machines_only(
    redis: Redis, dialed: DialRequest, answered_by: AnsweredBy, records: list[bool]
) -> None:
    await claimed(redis, dialed)
    async with MachineNews(redis) as news:
        await news.tell(dialed, answered_by)
    assert [each.records for each in await told(redis)] == records


async def test_news_that_is_there_before_the_worker_waits_for_it(
    redis: Redis, dialed: DialRequest
) -> None:
    async with MachineNews(redis) as news:
        await news.tell(dialed, AnsweredBy.MACHINE)
        assert await told(redis) == []
        await claimed(redis, dialed)
        await redis.xread({COMMANDS: "0"}, block=5_000)
    assert await told(redis) == [
        MachineReported(participant_id=dialed.participant_id, records=False)
    ]


async def test_news_of_a_call_that_no_worker_takes_is_dropped(
    redis: Redis, dialed: DialRequest, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(machine_news, "WORKER_WITHIN_SECONDS", 0.05)
    async with MachineNews(redis) as news:
        await news.tell(dialed, AnsweredBy.MACHINE)
        waiting = [each for each in asyncio.all_tasks() if "_tell_once" in repr(each)]
        await asyncio.wait_for(asyncio.gather(*waiting), 5)
        await claimed(redis, dialed)
    assert len(waiting) == 1
    assert await told(redis) == []
