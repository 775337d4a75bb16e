"""A tenant that pays through stand-ins of the gateways, to which the real SDKs connect."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Any
from uuid import UUID

import httpx2
from sqlalchemy import text

from contracts.money import MICROS_PER_USD
from control_plane.money.billing import service as billing
from control_plane.money.payments import methods, recharging, reconciling
from control_plane.money.payments.gateways.gateway import SavedMethod
from control_plane.money.payments.gateways.installed import InstalledGateways
from control_plane.money.payments.missed_captures import post_missed_captures
from control_plane.money.payments.reversals.reconciling import reconcile_reversals
from control_plane.platform.database import Database
from control_plane.platform.settings import ControlPlaneSettings
from tests.control_plane.conftest import TenantClient
from tests.control_plane.money.billing.books import account_of
from tests.stand_ins.payment_outcomes import Deliver
from tests.stand_ins.razorpay_wire import RazorpayWire
from tests.stand_ins.stripe_wire import StripeWire

USD_TO_INR = 80


def paid_through(
    settings: ControlPlaneSettings,
    *,
    stripe: StripeWire | None = None,
    razorpay: RazorpayWire | None = None,
    **others: Any,
) -> ControlPlaneSettings:
    """``settings`` with these gateways."""
    update: dict[str, Any] = {"welcome_credit_micros": 0, "gateway_timeout_seconds": 10.0, **others}
    if stripe is not None:
        update |= {
            "stripe_secret_key": stripe.secret_key,
            "stripe_webhook_secret": stripe.webhook_secret,
            "stripe_base_url": stripe.base_url,
        }
    if razorpay is not None:
        update |= {
            "razorpay_key_id": razorpay.key_id,
            "razorpay_key_secret": razorpay.key_secret,
            "razorpay_webhook_secret": razorpay.webhook_secret,
            "razorpay_base_url": razorpay.base_url,
            "usd_to_inr_rate": USD_TO_INR,
        }
    return ControlPlaneSettings.model_validate(settings.model_dump() | update)


def delivery_to(http: httpx2.AsyncClient, gateway: str) -> Deliver:
    """Posts events to the API."""

    async def deliver(body: bytes, headers: dict[str, str]) -> int:
        answer = await http.post(f"/v1/gateways/{gateway}/events", content=body, headers=headers)
        return answer.status_code

    return deliver


@dataclass(frozen=True)
class Payer:
    """One tenant, and the jobs that serve it."""

    tenant: TenantClient
    database: Database
    settings: ControlPlaneSettings
    gateways: InstalledGateways

    @property
    def tenant_id(self) -> UUID:
        return self.tenant.tenant_id

    async def begin(self, pack_usd: float = 20, **fields: Any) -> dict[str, Any]:
        """Start a checkout; the answer."""
        body = {"pack_usd": pack_usd} | fields
        answer = await self.tenant.post("/v1/billing/checkout/start", body)
        assert answer.status_code == 200, answer.text
        begun: dict[str, Any] = answer.json()
        return begun

    async def saves_a_card(self, gateway: str = "stripe", token: str = "pm_saved") -> None:
        async with self.database.system_session() as session:
            await methods.save(
                session,
                self.settings.sealer,
                self.tenant_id,
                gateway,
                SavedMethod(token, "card", card_brand="visa", card_last4="4242"),
            )

    async def turns_recharging_on(self, pack_usd: float = 20, threshold_usd: float = 5) -> None:
        answer = await self.tenant.request(
            "PUT",
            "/v1/billing/auto-recharge",
            json={"enabled": True, "pack_usd": pack_usd, "threshold_usd": threshold_usd},
        )
        assert answer.status_code == 200, answer.text

    async def has_credit(self, usd: float) -> None:
        """Sets the balance of a tenant without one."""
        async with self.database.system_session() as session:
            await billing.grant(session, self.tenant_id, round(usd * MICROS_PER_USD), "Credit")

    async def recharges(self, after: timedelta = timedelta()) -> None:
        """Does what the job does."""
        await recharging.recharge(
            self.database, self.settings, self.gateways, self.tenant_id, _now(after)
        )

    async def reconciles(self, after: timedelta) -> None:
        """Does what the job does when this time has passed."""
        await reconciling.reconcile(
            self.database, self.settings, self.gateways, lambda: _now(after)
        )

    async def reconciles_reversals(self) -> None:
        """Does what the job does."""
        await reconcile_reversals(
            self.database, self.settings, self.gateways, _now(timedelta(minutes=1))
        )

    async def posts_missed_captures(self, after: timedelta = timedelta(minutes=1)) -> None:
        """Does what the job does."""
        await post_missed_captures(self.database, self.settings, self.gateways, _now(after))

    async def balance_usd(self) -> float:
        account = await account_of(self.database, self.tenant_id)
        return account.buckets.total_micros / MICROS_PER_USD

    async def entries(self) -> list[tuple[str, float]]:
        """Types and amounts, oldest first."""
        answer = await self.tenant.get("/v1/billing/transactions")
        found = answer.json()["transactions"][::-1]
        return [(each["transaction_type"], each["amount_usd"]) for each in found]

    async def told(self) -> list[str]:
        """The categories of the events in the outbox, oldest first."""
        async with self.database.system_session() as session:
            rows = await session.scalars(
                text(
                    "SELECT event FROM outbox_events WHERE tenant_id = :tenant"
                    " AND event LIKE 'billing.%' ORDER BY position"
                ),
                {"tenant": self.tenant_id},
            )
            return list(rows)


@asynccontextmanager
async def gateways_of(settings: ControlPlaneSettings) -> AsyncIterator[InstalledGateways]:
    gateways = InstalledGateways(settings)
    yield gateways
    await gateways.aclose()


def _now(after: timedelta) -> datetime:
    return datetime.now(UTC) + after
