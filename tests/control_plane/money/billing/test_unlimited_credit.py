from __future__ import annotations

import pytest

from control_plane.platform.settings import UNLIMITED_CREDIT_MICROS, ControlPlaneSettings
from tests.control_plane.conftest import TenantClient


@pytest.fixture
def settings(settings: ControlPlaneSettings) -> ControlPlaneSettings:
    return settings.model_copy(update={"welcome_credit_micros": UNLIMITED_CREDIT_MICROS})


async def test_an_unlimited_credit_is_posted_and_shown(tenant: TenantClient) -> None:
    balance = (await tenant.get("/v1/billing/balance")).json()
    assert balance["available_usd"] == 1_000_000_000
    transactions = (await tenant.get("/v1/billing/transactions")).json()["transactions"]
    assert transactions[0]["description"] == "Welcome credit"
