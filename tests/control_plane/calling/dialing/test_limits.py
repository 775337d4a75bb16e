"""How many phones are dialed at once, which first, and that several schedulers keep to it."""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from typing import Any
from uuid import UUID

import pytest
from sqlalchemy import func, select, text
from sqlalchemy.ext.asyncio import AsyncSession
from structlog.testing import capture_logs

from contracts.end_reasons import EndReason
from control_plane.calling.dialing import picking, repository, scheduler
from control_plane.calling.dialing.models import DialingJob, JobState
from control_plane.calling.dialing.schedule import DailyWindow, Schedule
from control_plane.calling.pauses.models import AgentPause
from control_plane.platform.errors import DatabaseUnavailable
from control_plane.platform.settings import ControlPlaneSettings, DialingSettings
from tests.control_plane.calling.dialing.phone import CALLEE, OWN_NUMBER, Phones
from tests.control_plane.conftest import OPERATOR, TenantClient
from tests.stand_ins.simulated_carrier import NAME, RINGS_ON

PER_TENANT, PER_NUMBER = 5, 3
OTHER_NUMBER = "+14155550101"


def callees(count: int) -> list[str]:
    return [f"+1415555{2000 + index}" for index in range(count)]


def from_tomorrow() -> Schedule:
    """It allows dialing on tomorrow's weekday, in UTC."""
    tomorrow = datetime.now(UTC) + timedelta(days=1)
    window = DailyWindow(start="00:00", end="24:00", days=(f"{tomorrow:%a}".lower(),))  # type: ignore[arg-type]
    return Schedule(window=window, timezone="UTC")


@pytest.fixture
def settings(linked_settings: ControlPlaneSettings) -> ControlPlaneSettings:
    dialing = DialingSettings(
        carriers=frozenset({NAME}), calls_per_tenant=PER_TENANT, calls_per_number=PER_NUMBER
    )
    return linked_settings.model_copy(update={"dialing": dialing})


async def active(phones: Phones) -> Counter[str]:
    """Legs that take a place, by caller id."""
    async with phones.database.system_session() as session:
        return Counter(
            await session.scalars(
                select(DialingJob.from_number).where(DialingJob.state == JobState.ACTIVE)
            )
        )


async def test_schedulers_together_keep_the_limits(tenant: TenantClient, phones: Phones) -> None:
    agent_id = await phones.agent(tenant)
    await phones.give_number(tenant, OTHER_NUMBER)
    for number in callees(8):
        phones.carrier.tell(number, RINGS_ON)
        await phones.queue(tenant, agent_id, number, from_number=OWN_NUMBER)
    for number in callees(16)[8:]:
        phones.carrier.tell(number, RINGS_ON)
        await phones.queue(tenant, agent_id, number, from_number=OTHER_NUMBER)
    schedulers = [phones.another_scheduler() for _ in range(6)]
    for _ in range(3):
        await asyncio.gather(*(each.round(datetime.now(UTC)) for each in schedulers))
        by_number = await active(phones)
        assert max(by_number.values()) <= PER_NUMBER
        assert sum(by_number.values()) <= PER_TENANT
    assert sum((await active(phones)).values()) == PER_TENANT, "no place stays empty"
    assert len({request.attempt_id for request in phones.carrier.dialed}) == len(
        phones.carrier.dialed
    ), "no attempt is dialed twice"


async def test_a_number_can_have_a_limit_of_its_own(tenant: TenantClient, phones: Phones) -> None:
    agent_id = await tenant.published_agent()
    await phones.give_number(tenant, max_concurrent_calls=1)
    for number in callees(3):
        phones.carrier.tell(number, RINGS_ON)
        await phones.queue(tenant, agent_id, number)
    await phones.step()
    assert await active(phones) == {OWN_NUMBER: 1}


async def test_a_place_is_free_again_when_a_phone_was_not_reached(
    tenant: TenantClient, phones: Phones
) -> None:
    agent_id = await tenant.published_agent()
    await phones.give_number(tenant, max_concurrent_calls=1)
    first, second = callees(2)
    phones.carrier.tell(first, RINGS_ON)
    call_id = await phones.queue(tenant, agent_id, first)
    await phones.queue(tenant, agent_id, second)
    await phones.step()
    assert (await tenant.post(f"/v1/calls/{call_id}/end")).status_code == 200

    async def second_is_dialed() -> bool:
        return [request.to_number for request in phones.carrier.dialed] == [first, second]

    await phones.until(second_is_dialed)


async def test_one_tenants_queue_does_not_keep_another_waiting(
    tenant: TenantClient, other_tenant: TenantClient, phones: Phones
) -> None:
    agent_id = await phones.agent(tenant)
    for number in callees(8):
        phones.carrier.tell(number, RINGS_ON)
        await phones.queue(tenant, agent_id, number)
    await phones.give_number(other_tenant, OTHER_NUMBER)
    await phones.queue(other_tenant, await other_tenant.published_agent())
    await phones.step()
    assert await active(phones) == {OWN_NUMBER: PER_NUMBER, OTHER_NUMBER: 1}


async def test_the_more_urgent_is_dialed_first(tenant: TenantClient, phones: Phones) -> None:
    agent_id = await tenant.published_agent()
    await phones.give_number(tenant, max_concurrent_calls=2)
    numbers = callees(4)
    for number, priority in zip(numbers, (0, 5, 9, 5), strict=True):
        phones.carrier.tell(number, RINGS_ON)
        await phones.queue(tenant, agent_id, number, priority=priority)

    async def two_are_dialed() -> bool:
        return len(phones.carrier.dialed) == 2

    await phones.until(two_are_dialed)
    assert {request.to_number for request in phones.carrier.dialed} == {numbers[2], numbers[1]}


async def test_nothing_is_dialed_before_its_time(tenant: TenantClient, phones: Phones) -> None:
    later = datetime.now(UTC) + timedelta(hours=2)
    call_id = await phones.queue(
        tenant, await phones.agent(tenant), schedule=Schedule(not_before=later)
    )
    await phones.step()
    assert (await phones.job(call_id)).state == "waiting"
    await phones.step(timedelta(hours=2, seconds=1))
    assert (await phones.job(call_id)).state == "active"


async def test_a_window_that_closed_while_the_leg_waited_is_waited_for_again(
    tenant: TenantClient, phones: Phones
) -> None:
    opens = datetime.now(UTC) + timedelta(days=1)
    call_id = await phones.queue(tenant, await phones.agent(tenant), schedule=from_tomorrow())
    async with phones.database.system_session() as session:
        await session.execute(text("UPDATE dialing_jobs SET due_at = now() - interval '1 hour'"))
    await phones.step()
    job = await phones.job(call_id)
    assert job.state == "waiting"
    assert job.due_at == opens.replace(hour=0, minute=0, second=0, microsecond=0)


async def test_phones_that_may_not_ring_now_delay_the_others_by_one_look_at_most(
    tenant: TenantClient, phones: Phones, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(picking, "LOOKED_AT_ONCE", 2)
    agent_id = await phones.agent(tenant)
    *shut, last = callees(4)
    for number in shut:
        await phones.queue(tenant, agent_id, number, schedule=from_tomorrow(), priority=9)
    call_id = await phones.queue(tenant, agent_id, last)
    async with phones.database.system_session() as session:
        await session.execute(text("UPDATE dialing_jobs SET due_at = now() - interval '1 hour'"))
    await phones.step()
    assert (await phones.job(call_id)).state == JobState.WAITING
    async with phones.database.system_session() as session:
        moved = await session.scalar(
            select(func.count()).where(DialingJob.due_at > datetime.now(UTC))
        )
    assert moved == 2, "what was looked at is not looked at again"
    await phones.step()
    assert (await phones.job(call_id)).state == JobState.ACTIVE


async def test_a_queue_that_cannot_be_read_in_time_keeps_no_other_tenant_waiting(
    tenant: TenantClient,
    other_tenant: TenantClient,
    phones: Phones,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    await phones.queue(tenant, await phones.agent(tenant))
    await phones.give_number(other_tenant, OTHER_NUMBER)
    await phones.queue(other_tenant, await other_tenant.published_agent())

    async def this_one_first(*_: object) -> list[UUID]:
        return [tenant.tenant_id, other_tenant.tenant_id]

    async def pick(session: AsyncSession, tenant_id: UUID, *rest: Any) -> picking.Picked:
        if tenant_id == tenant.tenant_id:
            raise DatabaseUnavailable
        return await picking.pick_due(session, tenant_id, *rest)

    monkeypatch.setattr(repository, "tenants_with_due_jobs", this_one_first)
    monkeypatch.setattr(scheduler, "pick_due", pick)
    with capture_logs() as log:
        await phones.step()
    assert await active(phones) == {OTHER_NUMBER: 1}
    waits = [line for line in log if line["event"] == "dialing_waits_for_database"]
    assert [line["tenant_id"] for line in waits] == [str(tenant.tenant_id)]


async def test_waiting_jobs_of_a_full_number_that_is_gone_are_not_read(
    tenant: TenantClient, phones: Phones, monkeypatch: pytest.MonkeyPatch
) -> None:
    agent_id = await phones.agent(tenant)
    for number in callees(PER_NUMBER + 1):
        phones.carrier.tell(number, RINGS_ON)
        await phones.queue(tenant, agent_id, number)
    await phones.step()
    assert await active(phones) == {OWN_NUMBER: PER_NUMBER}
    async with phones.database.system_session() as session:
        await session.execute(text("DELETE FROM numbers"))
    read: list[DialingJob] = []
    lock_due_jobs = repository.lock_due_jobs

    async def reading(*arguments: Any, **options: Any) -> Sequence[DialingJob]:
        jobs = await lock_due_jobs(*arguments, **options)
        read.extend(jobs)
        return jobs

    monkeypatch.setattr(repository, "lock_due_jobs", reading)
    await phones.step()
    assert read == []


async def test_one_opening_is_computed_for_all_phones_in_the_same_zones(
    tenant: TenantClient, phones: Phones, computed_openings: list[Schedule]
) -> None:
    agent_id = await phones.agent(tenant)
    schedule = Schedule(window=DailyWindow(start="00:00", end="24:00"))
    for number in callees(3):
        await phones.queue(tenant, agent_id, number, schedule=schedule)
    computed_openings.clear()
    await phones.step()
    assert (await active(phones)).total() == 3
    assert computed_openings == [schedule]


async def test_who_came_onto_the_do_not_call_list_is_not_dialed(
    tenant: TenantClient, phones: Phones
) -> None:
    call_id = await phones.queue(tenant, await phones.agent(tenant))
    assert (await tenant.post("/v1/do-not-call", {"number": CALLEE})).status_code == 201
    call = await phones.until_status(tenant, str(call_id), "canceled")
    assert call["end_reason"] == EndReason.DO_NOT_CALL
    assert phones.carrier.dialed == []
    events = (await tenant.get(f"/v1/calls/{call_id}/events")).json()["events"]
    assert any("do-not-call" in event["message"] for event in events)


async def test_a_leg_that_nobody_could_dial_is_given_up(
    tenant: TenantClient, phones: Phones
) -> None:
    call_id = await phones.queue(tenant, await phones.agent(tenant))
    async with phones.database.system_session() as session:
        await session.execute(text("UPDATE dialing_jobs SET give_up_at = now()"))
    call = await phones.until_status(tenant, str(call_id), "failed")
    assert call["end_reason"] == EndReason.REAPER_QUEUED_TIMEOUT


async def test_while_calls_are_stopped_nothing_is_dialed(
    tenant: TenantClient, phones: Phones
) -> None:
    call_id = await phones.queue(tenant, await phones.agent(tenant))
    await switch_calls(tenant, enabled=False)
    try:
        await phones.step()
        assert (await phones.job(call_id)).state == "waiting"
    finally:
        await switch_calls(tenant, enabled=True)
    await phones.until_answered(call_id)


async def test_a_paused_agents_calls_wait(tenant: TenantClient, phones: Phones) -> None:
    agent_id = await phones.agent(tenant)
    call_id = await phones.queue(tenant, agent_id)
    path = f"/v1/operator/agents/{agent_id}/pause"
    async with phones.database.system_session() as session:
        session.add(AgentPause(agent_id=agent_id, tenant_id=tenant.tenant_id, reason="complaints"))
    await phones.step()
    assert (await phones.job(call_id)).state == "waiting"
    assert (await tenant.http.delete(path, headers=OPERATOR)).is_success
    await phones.until_answered(call_id)


async def switch_calls(tenant: TenantClient, *, enabled: bool) -> None:
    answer = await tenant.http.put(
        "/v1/operator/platform", headers=OPERATOR, json={"calls_enabled": enabled}
    )
    assert answer.status_code == 200, answer.text
