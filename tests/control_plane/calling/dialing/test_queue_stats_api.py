"""`GET /v1/calls/queue/stats` counts a tenant's phone legs."""

from __future__ import annotations

from datetime import UTC, datetime

from sqlalchemy import update

from control_plane.calling.calls.models import Call
from control_plane.calling.dialing.models import DialingJob, JobState
from control_plane.platform.database import Database
from tests.control_plane.calling.dialing.phone import Phones
from tests.control_plane.conftest import TenantClient
from tests.stand_ins.simulated_carrier import BUSY, RINGS_ON

PATH = "/v1/calls/queue/stats"


async def test_a_leg_is_counted_where_it_is(
    tenant: TenantClient, other_tenant: TenantClient, phones: Phones
) -> None:
    agent_id = await phones.agent(tenant)
    busy, rings = "+14155552000", "+14155552001"
    phones.carrier.tell(busy, BUSY)
    phones.carrier.tell(rings, RINGS_ON)
    await phones.until_closed(await phones.queue(tenant, agent_id, busy))
    await phones.queue(tenant, agent_id, rings)
    await phones.step()
    await phones.queue(tenant, agent_id, "+14155552002")
    ended = await phones.queue(tenant, agent_id, "+14155552003")
    await tenant.post(f"/v1/calls/{ended}/end")
    assert (await tenant.get(f"/v1/calls/{ended}")).json()["status"] == "completed"
    assert (await tenant.get(PATH)).json() == {
        "waiting": 1,
        "active": 1,
        "completed": 1,
        "failed": 1,
    }
    assert set((await other_tenant.get(PATH)).json().values()) == {0}


async def test_a_leg_is_counted_as_its_call_ended(
    tenant: TenantClient, phones: Phones, database: Database
) -> None:
    agent_id = await phones.agent(tenant)
    for index, status in enumerate(("completed", "failed", "no_answer", "busy", "canceled")):
        call_id = await phones.queue(tenant, agent_id, f"+1415555200{index}")
        async with database.system_session() as session:
            await session.execute(
                update(Call)
                .where(Call.id == call_id)
                .values(status=status, end_reason="normal_hangup", ended_at=datetime.now(UTC))
            )
            await session.execute(
                update(DialingJob)
                .where(DialingJob.call_id == call_id)
                .values(state=JobState.COMPLETED, finished_at=datetime.now(UTC))
            )
    assert (await tenant.get(PATH)).json() == {
        "waiting": 0,
        "active": 0,
        "completed": 1,
        "failed": 3,
    }


async def test_it_needs_a_secret_key(tenant: TenantClient) -> None:
    assert (await tenant.http.get(PATH)).status_code == 401
    headers = await tenant.publishable_key()
    assert (await tenant.http.get(PATH, headers=headers)).status_code == 403
