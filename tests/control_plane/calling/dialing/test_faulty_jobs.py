"""A job that cannot be changed holds up no other."""

from __future__ import annotations

from uuid import UUID

from sqlalchemy import text
from structlog.testing import capture_logs

from contracts.dial_outcome import DialOutcome
from contracts.dialing import LegStage
from control_plane.calling.dialing.models import JobState
from tests.control_plane.calling.dialing.bridge_reports import say
from tests.control_plane.calling.dialing.phone import Phones
from tests.control_plane.conftest import TenantClient


async def change(phones: Phones, statement: str, call_id: UUID) -> None:
    async with phones.database.system_session() as session:
        await session.execute(text(statement), {"call": call_id})


async def test_phones_are_dialed_although_the_call_before_them_cannot_be_read(
    tenant: TenantClient, no_bridge: Phones
) -> None:
    phones = no_bridge
    agent_id = await phones.agent(tenant)
    broken = await phones.queue(tenant, agent_id)
    whole = await phones.queue(tenant, agent_id)
    await change(phones, "UPDATE calls SET plan = '{}' WHERE id = :call", broken)
    with capture_logs() as logs:
        for _ in range(4):
            await phones.step()
    assert (await phones.job(whole)).requested_at is not None
    assert (await phones.job(broken)).requested_at is None
    failed = [entry for entry in logs if entry["event"] == "dialing_failed"]
    assert len(failed) == 2, "for the tenant's queue and for the job, once each"
    assert str(broken) in {entry.get("call_id") for entry in failed}


async def test_reports_are_applied_although_the_one_before_them_cannot_be(
    tenant: TenantClient, no_bridge: Phones
) -> None:
    phones = no_bridge
    agent_id = await phones.agent(tenant)
    calls = [await phones.queue(tenant, agent_id) for _ in range(2)]
    await phones.step()
    unreadable = "UPDATE dialing_jobs SET retry = '[]' WHERE call_id = :call"
    await change(phones, unreadable, calls[0])
    for call_id in calls:
        await say(phones, call_id, LegStage.ENDED, DialOutcome.BUSY)
    with capture_logs() as logs:
        await phones.step()
    assert (await phones.job(calls[1])).state == JobState.FAILED
    assert (await phones.job(calls[0])).state == JobState.ACTIVE
    failed = [entry for entry in logs if entry["event"] == "dial_report_not_applicable"]
    assert {entry["call_id"] for entry in failed} == {str(calls[0])}
