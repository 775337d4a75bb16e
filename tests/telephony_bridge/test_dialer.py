"""What a bridge does with what the control plane asks of it."""

from __future__ import annotations

import asyncio
from datetime import UTC, datetime, timedelta
from uuid import UUID, uuid4

from redis.asyncio import Redis

from contracts import redis_names
from contracts.dialing import DialRequest, HangUpLeg
from telephony_bridge.dialer import Dialer
from telephony_bridge.reports import Reports
from tests.runtime.until import until
from tests.stand_ins.simulated_carrier import SimulatedCarrier

BRIDGE_ID = "b-1"


async def test_a_leg_is_hung_up_by_who_carries_its_sound(redis: Redis) -> None:
    """That waits until the last keys are pressed."""
    carrier, stop = SimulatedCarrier(), asyncio.Event()
    media_is_here = True
    asked: list[UUID] = []

    def hang_up_media(attempt_id: UUID) -> bool:
        asked.append(attempt_id)
        return media_is_here

    request = DialRequest(
        attempt_id=uuid4(),
        telephony_leg_id=uuid4(),
        call_id=uuid4(),
        tenant_id=uuid4(),
        participant_id=uuid4(),
        carrier=carrier.name,
        to_number="+14155550142",
        from_number="+14155550100",
        ring_timeout_seconds=60,
        dial_before=datetime.now(UTC) + timedelta(minutes=1),
    )

    async def ask_to_hang_up() -> None:
        command = HangUpLeg(attempt_id=request.attempt_id).model_dump_json()
        await redis.xadd(redis_names.bridge_commands(BRIDGE_ID), {redis_names.FIELD: command})

    requests = redis_names.dial_requests(carrier.name)
    await redis.xadd(requests, {redis_names.FIELD: request.model_dump_json()})
    dialer = Dialer(redis, BRIDGE_ID, [carrier], Reports(redis, BRIDGE_ID), hang_up_media)
    async with asyncio.TaskGroup() as tasks:
        tasks.create_task(dialer.run(stop, dialer.wait_idle))
        await until(lambda: carrier.legs)
        await ask_to_hang_up()
        await until(lambda: asked == [request.attempt_id])
        assert carrier.open_lines == 1
        media_is_here = False
        await ask_to_hang_up()
        await until(lambda: carrier.open_lines == 0)
        stop.set()
