"""An installation that has configured no payment gateway."""

from __future__ import annotations

import pytest

from control_plane.platform.settings import ControlPlaneSettings
from tests.control_plane.conftest import TenantClient
from tests.control_plane.conftest import settings as settings_without_gateways

settings = settings_without_gateways


@pytest.mark.parametrize(
    ("path", "body"),
    [
        ("checkout/start", {"pack_usd": 20}),
        (
            "mandate/register",
            {"first_charge_usd": 10, "max_amount_usd": 50, "contact": "+919876543210"},
        ),
    ],
)
async def test_paying_is_503_and_says_why(
    tenant: TenantClient, path: str, body: dict[str, object]
) -> None:
    answer = await tenant.post(f"/v1/billing/{path}", body)
    assert (answer.status_code, answer.json()["code"]) == (503, "gateway_not_configured")


@pytest.mark.parametrize("gateway", ["stripe", "razorpay"])
async def test_events_are_503(tenant: TenantClient, gateway: str) -> None:
    answer = await tenant.http.post(f"/v1/gateways/{gateway}/events", content=b"{}")
    assert (answer.status_code, answer.json()["code"]) == (503, "gateway_not_configured")


async def test_what_is_only_read_is_there(
    tenant: TenantClient, settings: ControlPlaneSettings
) -> None:
    shown = (await tenant.get("/v1/billing/auto-recharge")).json()
    assert shown["gateway"] is None
    assert settings.configured_gateways == frozenset()
    assert (await tenant.get("/v1/billing/topup-packs")).json() == {"packs": []}
