from __future__ import annotations

from collections.abc import AsyncIterator

import httpx2
import pytest

from control_plane.platform.database import Database
from control_plane.platform.settings import ControlPlaneSettings
from tests.control_plane.conftest import TenantClient
from tests.control_plane.money.payments.paying import (
    Payer,
    delivery_to,
    gateways_of,
    paid_through,
)
from tests.stand_ins.razorpay_wire import RazorpayWire
from tests.stand_ins.stripe_wire import StripeWire


@pytest.fixture
async def stripe() -> AsyncIterator[StripeWire]:
    async with StripeWire().serving() as stripe:
        yield stripe


@pytest.fixture
async def razorpay() -> AsyncIterator[RazorpayWire]:
    async with RazorpayWire().serving() as razorpay:
        yield razorpay


@pytest.fixture
def settings(
    settings: ControlPlaneSettings, stripe: StripeWire, razorpay: RazorpayWire
) -> ControlPlaneSettings:
    """Both gateways are configured."""
    return paid_through(settings, stripe=stripe, razorpay=razorpay)


@pytest.fixture
async def payer(
    tenant: TenantClient,
    http: httpx2.AsyncClient,
    database: Database,
    settings: ControlPlaneSettings,
    stripe: StripeWire,
    razorpay: RazorpayWire,
) -> AsyncIterator[Payer]:
    """Its balance is 0."""
    stripe.events.deliver = delivery_to(http, "stripe")
    razorpay.events.deliver = delivery_to(http, "razorpay")
    async with gateways_of(settings) as gateways:
        yield Payer(tenant, database, settings, gateways)
