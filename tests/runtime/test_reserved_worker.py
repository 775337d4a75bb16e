"""A worker gets ready while a phone rings, on a real Valkey, and forgets the call if it is not
answered."""

from __future__ import annotations

import asyncio
import errno
from collections.abc import AsyncIterator
from pathlib import Path
from uuid import UUID

import pytest
from redis.asyncio import Redis
from websockets.asyncio.client import ClientConnection, connect
from websockets.exceptions import InvalidStatus

from contracts import redis_names
from contracts.call_plan import CallPlan
from contracts.commands import LegAnswered, ReleaseCall, RemoveLeg
from contracts.phone_media import (
    SUBPROTOCOL,
    BridgeMessage,
    LegAddress,
    LegFormat,
    LegOpened,
    leg_path,
    leg_token,
)
from tests.runtime.control_plane import ControlPlane
from tests.runtime.fakes import CALLER, call_plan, phone_plan
from tests.runtime.until import until
from tests.runtime.working import working

MULAW = LegFormat(encoding="mulaw", sample_hz=8_000)
ATTEMPT = UUID(int=77)


@pytest.fixture
async def control_plane(valkey_url: str) -> AsyncIterator[ControlPlane]:
    async with Redis.from_url(valkey_url, decode_responses=True) as redis:
        yield ControlPlane(redis)


async def open_leg(
    control_plane: ControlPlane, plan: CallPlan, token: str = ""
) -> ClientConnection:
    """As a bridge does."""
    heartbeat = await control_plane.heartbeat("w1")
    secret = await control_plane.redis.get(redis_names.worker_media_secret("w1"))
    assert heartbeat is not None
    assert heartbeat.media_address is not None
    assert secret is not None
    leg = LegAddress(plan.call_id, CALLER, ATTEMPT)
    connection = await connect(
        heartbeat.media_address + leg_path(leg),
        additional_headers={"Authorization": f"Bearer {token or leg_token(secret, leg)}"},
        subprotocols=[SUBPROTOCOL],  # type: ignore[list-item]
        compression=None,
        proxy=None,
    )
    opened = LegOpened(
        from_person=MULAW,
        to_person=MULAW,
        direction="outbound",
        carrier="twilio",
        from_number="+14155550100",
        to_number="+14155550142",
    )
    await connection.send(BridgeMessage(body=opened).model_dump_json())
    return connection


async def is_held(control_plane: ControlPlane, plan: CallPlan) -> bool:
    return await control_plane.redis.exists(redis_names.call_lease(plan.call_id)) == 1


async def test_the_first_words_are_made_while_the_phone_rings_and_nothing_is_written_down(
    valkey_url: str, tmp_path: Path, control_plane: ControlPlane
) -> None:
    plan = phone_plan()
    async with working(valkey_url, tmp_path) as running:
        await until(lambda: control_plane.is_in("w1", "ready"))
        await control_plane.dispatch(plan)
        await until(lambda: _is_prepared(running.media.conversations))
        assert await control_plane.events(plan.call_id) == []
        assert not await control_plane.redis.hexists(redis_names.MEDIA, str(plan.call_id))
        await control_plane.command("w1", plan.call_id, ReleaseCall())
        await until(lambda: _not(is_held(control_plane, plan)))


async def test_a_phone_that_answers_starts_the_call_at_once(
    valkey_url: str, tmp_path: Path, control_plane: ControlPlane
) -> None:
    plan = phone_plan()
    async with working(valkey_url, tmp_path):
        await until(lambda: control_plane.is_in("w1", "ready"))
        await control_plane.dispatch(plan)
        await until(lambda: is_held(control_plane, plan))
        await open_leg(control_plane, plan)
        await until(lambda: control_plane.has(plan.call_id, "call.started"))
        # The answer was reported, too, and the call is offered again.
        await control_plane.dispatch(plan)
        await until(lambda: _none_pending(control_plane))
        await control_plane.command("w1", plan.call_id, RemoveLeg(participant_id=CALLER))
        await until(lambda: control_plane.has(plan.call_id, "call.ended"))
    types = [each.body.type for each in await control_plane.events(plan.call_id)]
    assert types[:3] == ["room.opened", "call.started", "leg.joined"]


async def test_a_released_call_can_be_offered_again(
    valkey_url: str, tmp_path: Path, control_plane: ControlPlane
) -> None:
    plan = phone_plan()
    async with working(valkey_url, tmp_path):
        await until(lambda: control_plane.is_in("w1", "ready"))
        for _ in range(2):
            await control_plane.dispatch(plan)
            await until(lambda: is_held(control_plane, plan))
            await control_plane.command("w1", plan.call_id, ReleaseCall())
            await until(lambda: _not(is_held(control_plane, plan)))
    assert await control_plane.events(plan.call_id) == []
    assert list((tmp_path / "journal").glob("*.jsonl")) == []


async def test_a_disk_that_does_not_give_up_a_journal_ends_no_other_call(
    valkey_url: str, tmp_path: Path, control_plane: ControlPlane, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(_: Path) -> None:
        raise OSError(errno.EROFS, "read-only file system")

    other, plan = call_plan(), phone_plan()
    async with working(valkey_url, tmp_path):
        await until(lambda: control_plane.is_in("w1", "ready"))
        await control_plane.dispatch(other)
        await until(lambda: control_plane.has(other.call_id, "room.opened"))
        await control_plane.dispatch(plan)
        await until(lambda: is_held(control_plane, plan))
        monkeypatch.setattr("runtime.journal.journal._unlink_if_there", refuse)
        await control_plane.command("w1", plan.call_id, ReleaseCall())
        await until(lambda: _not(is_held(control_plane, plan)))
        reply = await control_plane.offer("w1", other.call_id)
        assert isinstance(reply.body, LegAnswered)


async def test_a_reservation_that_another_worker_has_taken_is_forgotten_and_left_to_it(
    valkey_url: str, tmp_path: Path, control_plane: ControlPlane
) -> None:
    plan = phone_plan()
    lease = redis_names.call_lease(plan.call_id)
    async with working(valkey_url, tmp_path) as running:
        await until(lambda: control_plane.is_in("w1", "ready"))
        await control_plane.dispatch(plan)
        await until(lambda: _is_prepared(running.media.conversations))
        await until(lambda: _none_pending(control_plane))
        # This worker was cut off from Redis, and the answered call was offered again.
        await control_plane.redis.set(lease, "w2", ex=redis_names.CLAIM_TTL_SECONDS)
        await until(lambda: running.media.rooms[plan.call_id].closed)
    assert await control_plane.redis.get(lease) == "w2"
    assert await control_plane.events(plan.call_id) == []


async def test_a_phone_that_hung_up_before_its_sound_came_ends_the_call(
    valkey_url: str, tmp_path: Path, control_plane: ControlPlane
) -> None:
    plan = phone_plan()
    async with working(valkey_url, tmp_path):
        await until(lambda: control_plane.is_in("w1", "ready"))
        await control_plane.dispatch(plan)
        await until(lambda: is_held(control_plane, plan))
        await control_plane.command("w1", plan.call_id, RemoveLeg(participant_id=CALLER))
        await until(lambda: control_plane.has(plan.call_id, "call.ended"))
    ended = (await control_plane.events(plan.call_id))[-1].body
    assert ended.type == "call.ended"
    assert ended.connected_ms is None


async def test_a_leg_with_another_token_is_not_let_in(
    valkey_url: str, tmp_path: Path, control_plane: ControlPlane
) -> None:
    plan = phone_plan()
    async with working(valkey_url, tmp_path):
        await until(lambda: control_plane.is_in("w1", "ready"))
        await control_plane.dispatch(plan)
        await until(lambda: is_held(control_plane, plan))
        with pytest.raises(InvalidStatus) as refused:
            await open_leg(control_plane, plan, token="guessed")
        assert refused.value.response.status_code == 401
        await control_plane.command("w1", plan.call_id, ReleaseCall())
        await until(lambda: _not(is_held(control_plane, plan)))


async def _is_prepared(conversations: list[object]) -> bool:
    await asyncio.sleep(0)
    return any(getattr(each, "prepared", None) for each in conversations)


async def _not(condition: object) -> bool:
    return not await condition  # type: ignore[misc]


async def _none_pending(control_plane: ControlPlane) -> bool:
    return await control_plane.pending() == 0
