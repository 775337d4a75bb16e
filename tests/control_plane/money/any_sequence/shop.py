"""One installation, and both gateways' stand-ins, to which it connects with the real SDKs."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from decimal import Decimal
from pathlib import Path
from uuid import UUID, uuid4

from sqlalchemy import text

from contracts.sealing import derived_key
from control_plane.money.billing import repository as accounts
from control_plane.money.payments import methods, recharge_settings, repository
from control_plane.money.payments.gateways.gateway import SavedMethod
from control_plane.money.payments.gateways.installed import InstalledGateways
from control_plane.money.payments.models import TopupPack
from control_plane.platform.database import Database
from control_plane.platform.settings import ControlPlaneSettings, GatewayName
from tests.control_plane.money.payments.paying import gateways_of, paid_through
from tests.stand_ins.razorpay_wire import RazorpayWire
from tests.stand_ins.stripe_wire import StripeWire

MONTHLY_MICROS = 7_000_001
"""Not a multiple of what half a minute costs, so that holds are divided over buckets."""
PACK_CENTS, BONUS_CENTS = 2000, 200
PACK_USD, THRESHOLD_USD = Decimal(20), Decimal(5)


@dataclass(frozen=True)
class Shop:
    database: Database
    settings: ControlPlaneSettings
    gateways: InstalledGateways
    stripe: StripeWire
    razorpay: RazorpayWire

    async def open_tenants(self, number: int) -> list[UUID]:
        """Tenants with a plan, a saved card and automatic recharges. They pay in turns with Stripe
        and with Razorpay."""
        tenants = [uuid4() for _ in range(number)]
        async with self.database.system_session() as session:
            for position, tenant_id in enumerate(tenants):
                gateway: GatewayName = "razorpay" if position % 2 else "stripe"
                await session.execute(
                    text(
                        "INSERT INTO tenants (id, name, plan_id)"
                        " VALUES (:tenant, 'Market', 'market')"
                    ),
                    {"tenant": tenant_id},
                )
                await accounts.open_account(session, tenant_id)
                await repository.note_in_profile(
                    session,
                    tenant_id,
                    billing_country="IN" if position % 2 else "US",
                    **{f"{gateway}_customer_id": f"cust_{tenant_id.hex}"},
                )
                method = SavedMethod(f"token_{tenant_id.hex}", "card")
                await methods.save(session, self.settings.sealer, tenant_id, gateway, method)
                await recharge_settings.change(
                    session,
                    tenant_id,
                    enabled=True,
                    pack_usd=PACK_USD,
                    threshold_usd=THRESHOLD_USD,
                )
        return tenants


@asynccontextmanager
async def opened_shop(database_url: str, directory: Path) -> AsyncIterator[Shop]:
    database = Database(database_url, deadline_seconds=60)
    async with StripeWire().serving() as stripe, RazorpayWire().serving() as razorpay:
        plain = ControlPlaneSettings(
            database_url=database_url,
            redis_url="redis://127.0.0.1:1",
            public_url="http://switchboard.test",
            secret_key="a-secret-of-at-least-thirty-two-bytes",
            encryption_keys=(derived_key("of the tests"),),
            mail_outbox_dir=directory / "outbox",
            knowledge_dir=directory / "knowledge",
            object_store_url=(directory / "objects").as_uri(),
        )
        settings = paid_through(plain, stripe=stripe, razorpay=razorpay)
        await _add_offers(database)
        async with gateways_of(settings) as gateways:
            yield Shop(database, settings, gateways, stripe, razorpay)
    await database.aclose()


async def _add_offers(database: Database) -> None:
    async with database.system_session() as session:
        await session.execute(
            text(
                "INSERT INTO plans (id, display_name, monthly_credit_micros, byok_allowed)"
                " VALUES ('market', 'Market', :micros, true)"
            ),
            {"micros": MONTHLY_MICROS},
        )
        pack = TopupPack(
            id=uuid4(),
            display_name="Pack",
            price_cents=PACK_CENTS,
            bonus_cents=BONUS_CENTS,
            sort_order=1,
        )
        await repository.add_pack(session, pack)
