"""Bridges die, Redis forgets, calls are ended while phones ring: no leg is left behind."""

from __future__ import annotations

import asyncio
from datetime import UTC, datetime, timedelta
from uuid import uuid4

import pytest
from redis.exceptions import ResponseError
from sqlalchemy import update

from contracts import redis_names
from contracts.commands import RemoveLeg
from contracts.dial_outcome import DialOutcome
from contracts.dialing import DialRequest, LegStage, LostLeg
from contracts.end_reasons import EndReason
from contracts.events import CallEnded, CallMetered, LegLeft
from contracts.versions import read_json
from control_plane.calling.calls.events.consumer import EventConsumer
from control_plane.calling.calls.models import Call
from control_plane.calling.dialing.attempts import NOTHING, reserve_for_attempt
from control_plane.calling.dialing.models import JobState
from control_plane.calling.dialing.picking import pick_due
from control_plane.calling.dialing.scheduler import DialingScheduler
from control_plane.calling.dialing.silence import Silence
from control_plane.calling.transfers.target import call_target
from control_plane.platform.link.redis_client import connect
from telephony_bridge.bridge import run_bridge
from telephony_bridge.settings import BridgeSettings
from tests.control_plane.calling.dialing.bridge_reports import say
from tests.control_plane.calling.dialing.phone import CALLEE, Phones, running_bridge
from tests.control_plane.conftest import TenantClient
from tests.control_plane.conversation import balance_of, call_of, catch_up, running_call
from tests.control_plane.fake_worker import FakeWorker
from tests.stand_ins.simulated_carrier import (
    ANSWERS_AND_HANGS_UP,
    NAME,
    RINGS_ON,
    SimulatedCarrier,
)


class Clock:
    now = 0.0

    def __call__(self) -> float:
        return self.now


async def silent_for_long(phones: Phones) -> None:
    """Let a scheduler find that no bridge answers, until it believes it."""
    clock = Clock()
    scheduler = DialingScheduler(
        phones.database, phones.redis, phones.settings.dialing, Silence(6.0, clock)
    )
    await scheduler.round(datetime.now(UTC))
    clock.now = 6.0
    await scheduler.round(datetime.now(UTC))


async def test_a_bridge_that_dies_while_it_dials_costs_an_attempt(
    tenant: TenantClient, no_bridge: Phones
) -> None:
    phones = no_bridge
    call_id = await phones.queue(tenant, await phones.agent(tenant))
    await phones.step()
    await say(phones, call_id, LegStage.DIALING)
    await phones.step()
    assert (await phones.job(call_id)).stage == LegStage.DIALING
    await silent_for_long(phones)
    job = await phones.job(call_id)
    assert (job.state, job.attempts) == (JobState.WAITING, 1)
    assert (await tenant.get(f"/v1/calls/{call_id}")).json()["status"] == "queued"


async def test_a_phone_that_has_rung_is_not_dialed_again_when_its_bridge_dies(
    tenant: TenantClient, no_bridge: Phones
) -> None:
    phones = no_bridge
    call_id = await phones.queue(tenant, await phones.agent(tenant))
    await phones.step()
    await say(phones, call_id, LegStage.DIALING)
    await say(phones, call_id, LegStage.RINGING)
    await phones.step()
    assert (await phones.job(call_id)).stage == LegStage.RINGING
    await silent_for_long(phones)
    call = (await tenant.get(f"/v1/calls/{call_id}")).json()
    assert (call["status"], call["end_reason"]) == ("failed", f"{NAME}_failed")
    assert call["total_cost"] == 0
    job = await phones.job(call_id)
    assert (job.state, job.last_outcome) == (JobState.FAILED, "failed")
    log = (await tenant.get(f"/v1/calls/{call_id}/events")).text
    assert "nothing more came from the bridge that had dialed it" in log


async def test_a_leg_whose_bridge_dies_is_to_be_hung_up_by_another_one(
    tenant: TenantClient, no_bridge: Phones
) -> None:
    phones = no_bridge
    call_id = await phones.queue(tenant, await phones.agent(tenant))
    await phones.step()
    await say(phones, call_id, LegStage.RINGING)
    await phones.step()
    job = await phones.job(call_id)
    account_id = uuid4()
    async with phones.database.system_session() as session:
        (await session.merge(job)).carrier_account_id = account_id
    await silent_for_long(phones)
    [(_, entry)] = await phones.redis.xrange(redis_names.LOST_LEGS)
    assert read_json(LostLeg, entry[redis_names.FIELD]) == LostLeg(
        attempt_id=job.attempt_id, call_id=call_id, account_id=account_id, carrier_call_id=None
    )


async def test_when_the_attempts_are_used_up_the_call_fails_in_the_carriers_name(
    tenant: TenantClient, no_bridge: Phones
) -> None:
    phones = no_bridge
    call_id = await phones.queue(tenant, await phones.agent(tenant))
    for _ in range(3):
        await phones.step(timedelta(seconds=20))
        await say(phones, call_id, LegStage.DIALING)
        await phones.step()
        await silent_for_long(phones)
    call = (await tenant.get(f"/v1/calls/{call_id}")).json()
    assert (call["status"], call["end_reason"]) == ("failed", f"{NAME}_failed")
    assert (await phones.job(call_id)).state == JobState.FAILED


async def test_a_bridge_that_dies_in_conversation_takes_its_leg_along(
    tenant: TenantClient, no_bridge: Phones, worker: FakeWorker, consumer: EventConsumer
) -> None:
    phones = no_bridge
    call_id = await phones.queue(tenant, await phones.agent(tenant))
    await phones.step()
    await say(phones, call_id, LegStage.ANSWERED)
    await phones.step()
    plan = await worker.claim()
    assert plan is not None
    await worker.start(plan)
    await catch_up(consumer)
    await silent_for_long(phones)
    job = await phones.job(call_id)
    assert job.state == JobState.COMPLETED
    assert [command.body for command in await worker.commands()] == [
        RemoveLeg(participant_id=job.participant_id, lost_carrier=job.carrier)
    ]


async def test_no_phone_counts_as_lost_while_redis_takes_no_reports(
    tenant: TenantClient, no_bridge: Phones, monkeypatch: pytest.MonkeyPatch
) -> None:
    phones = no_bridge
    call_id = await phones.queue(tenant, await phones.agent(tenant))
    await phones.step()
    await say(phones, call_id, LegStage.ANSWERED)
    await phones.step()

    async def refused(*_args: object, **_options: object) -> None:
        raise ResponseError("OOM command not allowed when used memory > 'maxmemory'.")

    with monkeypatch.context() as out_of_memory:
        out_of_memory.setattr(phones.redis, "set", refused)
        await silent_for_long(phones)
    assert (await phones.job(call_id)).state == JobState.ACTIVE
    await silent_for_long(phones)
    assert (await phones.job(call_id)).state == JobState.COMPLETED


async def test_a_call_whose_last_line_was_lost_has_failed_and_is_billed(
    tenant: TenantClient, no_bridge: Phones, worker: FakeWorker, consumer: EventConsumer
) -> None:
    phones = no_bridge
    call_id = await phones.queue(tenant, await phones.agent(tenant))
    await phones.step()
    await say(phones, call_id, LegStage.ANSWERED)
    await phones.step()
    plan = await worker.claim()
    assert plan is not None
    await worker.start(plan)
    person = plan.participants[0].participant_id
    await worker.ship(
        plan,
        CallMetered(connected_ms=7_000),
        LegLeft(participant_id=person, cause="connection_lost", lost_carrier="twilio"),
        CallEnded(
            end_reason=EndReason.CLIENT_DISCONNECTED, connected_ms=7_000, lost_carrier="twilio"
        ),
    )
    await worker.drop_lease(plan.call_id)
    await catch_up(consumer)
    call = (await tenant.get(f"/v1/calls/{call_id}")).json()
    assert (call["status"], call["end_reason"]) == ("failed", "twilio_failed")
    assert call["total_cost"] > 0
    log = (await tenant.get(f"/v1/calls/{call_id}/events")).text
    assert "A phone's line was lost: twilio_failed" in log


async def test_who_hangs_up_leaves_the_call(
    tenant: TenantClient, no_bridge: Phones, worker: FakeWorker
) -> None:
    phones = no_bridge
    call_id = await phones.queue(tenant, await phones.agent(tenant))
    await phones.step()
    await say(phones, call_id, LegStage.ANSWERED)
    await phones.step()
    plan = await worker.claim()
    assert plan is not None
    await say(phones, call_id, LegStage.ENDED)
    await phones.step()
    assert (await phones.job(call_id)).state == JobState.COMPLETED
    assert [command.body for command in await worker.commands()] == [
        RemoveLeg(participant_id=plan.participants[0].participant_id)
    ]


async def test_a_phone_whose_sound_its_carrier_refuses_leaves_the_call_as_a_lost_line(
    tenant: TenantClient, no_bridge: Phones, worker: FakeWorker
) -> None:
    phones = no_bridge
    call_id = await phones.queue(tenant, await phones.agent(tenant))
    await phones.step()
    await say(phones, call_id, LegStage.ANSWERED)
    await phones.step()
    plan = await worker.claim()
    assert plan is not None
    await say(phones, call_id, LegStage.ENDED, DialOutcome.FAILED, "refused (code 90034)")
    await phones.step()
    assert [command.body for command in await worker.commands()] == [
        RemoveLeg(participant_id=plan.participants[0].participant_id, lost_carrier=NAME)
    ]
    log = (await tenant.get(f"/v1/calls/{call_id}/events")).text
    assert "A phone's line failed: refused (code 90034)" in log


async def test_a_phone_that_answers_and_hangs_up_at_once_completes_its_leg(
    tenant: TenantClient, phones: Phones
) -> None:
    phones.carrier.tell(CALLEE, ANSWERS_AND_HANGS_UP)
    call_id = await phones.queue(tenant, await phones.agent(tenant))
    await phones.until_closed(call_id)
    assert (await phones.job(call_id)).state == JobState.COMPLETED


async def test_an_attempt_that_no_bridge_takes_goes_back_uncounted(
    tenant: TenantClient, no_bridge: Phones, valkey_url: str, carrier: SimulatedCarrier
) -> None:
    phones = no_bridge
    call_id = await phones.queue(tenant, await phones.agent(tenant))
    await phones.step()
    first = (await phones.job(call_id)).attempt_id
    await phones.step(timedelta(seconds=21))  # Withdrawn ...
    await phones.scheduler.round(datetime.now(UTC) + timedelta(seconds=25))  # ... and dialed again.
    job = await phones.job(call_id)
    assert (job.state, job.attempts) == (JobState.ACTIVE, 1)
    assert job.attempt_id != first
    async with running_bridge(valkey_url, carrier):
        await phones.until_answered(call_id)
    assert [request.attempt_id for request in carrier.dialed] == [job.attempt_id], (
        "a withdrawn attempt is not dialed"
    )


async def test_two_bridges_do_not_dial_the_same_attempt(
    tenant: TenantClient, phones: Phones, valkey_url: str, carrier: SimulatedCarrier
) -> None:
    agent_id = await phones.agent(tenant)
    call_id = await phones.queue(tenant, agent_id)
    await phones.until_answered(call_id)
    [request] = carrier.dialed
    other = SimulatedCarrier()
    async with running_bridge(valkey_url, other, "bridge-2"):
        for _ in range(2):
            await phones.redis.xadd(
                redis_names.dial_requests(request.carrier),
                {redis_names.FIELD: request.model_dump_json()},
            )
        await phones.step()
    assert len(carrier.dialed) + len(other.dialed) == 1


async def test_a_redis_that_forgets_everything_is_survived(
    tenant: TenantClient, phones: Phones
) -> None:
    phones.carrier.tell(CALLEE, RINGS_ON)
    agent_id = await phones.agent(tenant)
    ringing = await phones.queue(tenant, agent_id)

    async def rings() -> bool:
        return (await phones.job(ringing)).stage == LegStage.RINGING

    await phones.until(rings)
    await phones.redis.flushall()
    await phones.step()
    assert (await phones.job(ringing)).stage == LegStage.RINGING, "its bridge still answers for it"
    answered = await phones.queue(tenant, agent_id, "+14155550124")
    await phones.until_answered(answered)


async def test_a_report_that_redis_lost_is_found_with_the_bridge(
    tenant: TenantClient, phones: Phones
) -> None:
    call_id = await phones.queue(tenant, await phones.agent(tenant))
    await phones.scheduler.round(datetime.now(UTC))
    shipped = "0"
    for _ in range(3):
        [[_, [[shipped, _]]]] = await phones.redis.xread(
            {redis_names.DIAL_REPORT_STREAM: shipped}, count=1, block=1_000
        )
    await phones.redis.delete(redis_names.DIAL_REPORT_STREAM)
    await phones.scheduler.round(datetime.now(UTC) + timedelta(seconds=10))
    assert (await phones.job(call_id)).stage == LegStage.ANSWERED


async def test_without_redis_nothing_is_dialed_and_nothing_is_lost(
    tenant: TenantClient, phones: Phones
) -> None:
    call_id = await phones.queue(tenant, await phones.agent(tenant))
    nowhere = connect("redis://127.0.0.1:1")
    scheduler = DialingScheduler(phones.database, nowhere, phones.settings.dialing)
    await scheduler.round(datetime.now(UTC))
    await nowhere.aclose()
    await phones.step(timedelta(seconds=3))
    await phones.until_answered(call_id)
    assert len(phones.carrier.dialed) == 1


async def test_ending_a_queued_call_takes_it_out_of_the_queue(
    tenant: TenantClient, phones: Phones
) -> None:
    call_id = await phones.queue(tenant, await phones.agent(tenant))
    assert (await tenant.post(f"/v1/calls/{call_id}/end")).status_code == 200
    assert (await phones.job(call_id)).state == JobState.CANCELED
    await phones.step()
    assert phones.carrier.dialed == []


async def test_a_phone_is_not_dialed_for_a_call_that_has_just_ended(
    tenant: TenantClient, no_bridge: Phones
) -> None:
    phones = no_bridge
    call_id = await phones.queue(tenant, await phones.agent(tenant))
    request = await picked(phones, tenant)
    assert (await tenant.post(f"/v1/calls/{call_id}/end")).status_code == 200
    async with phones.database.system_session() as session:
        assert await reserve_for_attempt(session, request, datetime.now(UTC)) is NOTHING
    await phones.step()
    await phones.step(timedelta(seconds=4))
    assert await phones.redis.xlen(redis_names.dial_requests(NAME)) == 0
    assert (await phones.job(call_id)).state == JobState.CANCELED


async def test_a_phone_is_not_dialed_for_a_call_that_was_asked_to_end(
    tenant: TenantClient, no_bridge: Phones
) -> None:
    phones = no_bridge
    call_id = await phones.queue(tenant, await phones.agent(tenant))
    request = await picked(phones, tenant)
    async with phones.database.system_session() as session:
        await session.execute(
            update(Call).where(Call.id == call_id).values(end_requested_at=datetime.now(UTC))
        )
    async with phones.database.system_session() as session:
        assert await reserve_for_attempt(session, request, datetime.now(UTC)) is NOTHING
    assert (await balance_of(tenant))["held_usd"] == 0


async def picked(phones: Phones, tenant: TenantClient) -> DialRequest:
    """The tenant's only attempt, at the moment before its credit is reserved."""
    async with phones.database.system_session() as session:
        found = await pick_due(
            session, tenant.tenant_id, phones.settings.dialing, datetime.now(UTC)
        )
    [request] = found.requests
    return request


async def test_ending_a_call_whose_phone_rings_hangs_up(
    tenant: TenantClient, phones: Phones
) -> None:
    phones.carrier.tell(CALLEE, RINGS_ON)
    call_id = await phones.queue(tenant, await phones.agent(tenant))
    await phones.until_status(tenant, str(call_id), "ringing")
    assert (await tenant.post(f"/v1/calls/{call_id}/end")).status_code == 200
    await phones.until_closed(call_id)
    assert phones.carrier.open_lines == 0
    assert (await phones.job(call_id)).state == JobState.CANCELED


async def test_a_phone_that_rings_for_a_transfer_that_was_given_up_is_hung_up(
    tenant: TenantClient, phones: Phones, worker: FakeWorker, consumer: EventConsumer
) -> None:
    phones.carrier.tell(CALLEE, RINGS_ON)
    await phones.give_number(tenant)
    plan = await running_call(tenant, worker, consumer)
    person = uuid4()
    async with phones.database.system_session() as session:
        await call_target(
            session, plan.tenant_id, plan.call_id, person, CALLEE, phones.settings.dialing
        )

    async def rings() -> bool:
        return (await phones.job(plan.call_id)).stage == LegStage.RINGING

    await phones.until(rings)
    await worker.ship(plan, LegLeft(participant_id=person, cause="left"))
    await catch_up(consumer)
    await phones.until_closed(plan.call_id)
    assert phones.carrier.open_lines == 0
    assert (await phones.job(plan.call_id)).last_outcome == DialOutcome.CANCELED
    assert (await call_of(tenant, plan))["status"] == "in_progress"
    log = (await tenant.get(f"/v1/calls/{plan.call_id}/events")).text
    assert "A phone is not called any more" in log


async def test_a_bridge_that_is_stopped_hangs_up(
    tenant: TenantClient, no_bridge: Phones, valkey_url: str, carrier: SimulatedCarrier
) -> None:
    phones = no_bridge
    carrier.tell(CALLEE, RINGS_ON)
    call_id = await phones.queue(tenant, await phones.agent(tenant))
    async with running_bridge(valkey_url, carrier):
        await phones.until_status(tenant, str(call_id), "ringing")
    assert carrier.open_lines == 0
    await phones.until_closed(call_id)


async def test_a_bridge_that_drains_lets_its_phones_go_on_and_dials_no_more(
    tenant: TenantClient, no_bridge: Phones, valkey_url: str, carrier: SimulatedCarrier
) -> None:
    phones = no_bridge
    agent_id = await phones.agent(tenant)
    talking = await phones.queue(tenant, agent_id)
    settings = BridgeSettings(
        redis_url=valkey_url, bridge_id="bridge-1", drain_timeout_seconds=3_600
    )
    stop = asyncio.Event()
    bridge = asyncio.create_task(run_bridge(settings, stop, carriers=[carrier]))
    await phones.until_answered(talking)
    stop.set()
    late = await phones.queue(tenant, agent_id, "+14155550124")
    async with running_bridge(valkey_url, other := SimulatedCarrier(), "bridge-2"):
        await phones.until_answered(late)
        assert [line.to_number for line in other.dialed] == ["+14155550124"]
        assert (len(carrier.dialed), carrier.open_lines) == (1, 1)
        [leg] = carrier.legs
        await leg.hang_up()
        await bridge
        await phones.until_closed(talking)


async def test_a_second_signal_hangs_up_the_phones_of_a_bridge_that_drains(
    tenant: TenantClient, no_bridge: Phones, valkey_url: str, carrier: SimulatedCarrier
) -> None:
    phones = no_bridge
    call_id = await phones.queue(tenant, await phones.agent(tenant))
    settings = BridgeSettings(
        redis_url=valkey_url, bridge_id="bridge-1", drain_timeout_seconds=3_600
    )
    stop = asyncio.Event()
    bridge = asyncio.create_task(run_bridge(settings, stop, carriers=[carrier]))
    await phones.until_answered(call_id)
    stop.set()
    await phones.step()
    bridge.cancel()
    await bridge
    assert carrier.open_lines == 0
    await phones.until_closed(call_id)


async def test_late_and_doubled_reports_change_nothing(
    tenant: TenantClient, no_bridge: Phones
) -> None:
    phones = no_bridge
    call_id = await phones.queue(tenant, await phones.agent(tenant))
    await phones.step()
    for stage in (LegStage.ANSWERED, LegStage.RINGING, LegStage.DIALING, LegStage.ANSWERED):
        await say(phones, call_id, stage)
    await phones.step()
    assert (await phones.job(call_id)).stage == LegStage.ANSWERED
    assert await phones.redis.xlen(redis_names.DISPATCH_STREAM) == 1
