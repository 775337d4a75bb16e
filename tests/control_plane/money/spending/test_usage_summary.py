"""``/v1/billing/usage-summary``."""

from __future__ import annotations

import pytest

from control_plane.money.spending.limits import Spending, meter
from control_plane.platform.database import Database
from control_plane.platform.settings import ControlPlaneSettings
from tests.control_plane.conftest import TenantClient


@pytest.fixture
def settings(settings: ControlPlaneSettings) -> ControlPlaneSettings:
    return settings.model_copy(
        update={"agent_builder_per_day": 4, "reprocess_per_day": 0, "reprocess_per_minute": 0}
    )


async def test_it_counts_todays_requests_against_the_limits_of_a_day(
    tenant: TenantClient, database: Database, settings: ControlPlaneSettings
) -> None:
    async def summary() -> dict[str, dict[str, object]]:
        answer = await tenant.get("/v1/billing/usage-summary")
        assert answer.status_code == 200, answer.text
        found: dict[str, dict[str, object]] = answer.json()
        return found

    assert (await summary()) == {
        "voice_runtime": {"remaining_minutes": 200, "status": "ok"},
        "studio_ai": {
            "used_units": 0,
            "included_units": 4,
            "quota_percent": 0,
            "status": "ok",
            "overage_enabled": False,
        },
        "post_call_intelligence": {
            "status": "ok",
            "used_units": 0,
            "included_units": None,
            "quota_percent": None,
        },
    }
    async with database.tenant_session(tenant.tenant_id) as session:
        for _ in range(3):
            await meter(session, tenant.tenant_id, Spending.AGENT_BUILDER, settings)
        await meter(session, tenant.tenant_id, Spending.REPROCESS, settings)
    counted = await summary()
    assert (counted["studio_ai"]["used_units"], counted["studio_ai"]["quota_percent"]) == (3, 75)
    assert counted["post_call_intelligence"]["used_units"] == 1
    async with database.tenant_session(tenant.tenant_id) as session:
        await meter(session, tenant.tenant_id, Spending.AGENT_BUILDER, settings)
    assert (await summary())["studio_ai"]["status"] == "quota"
