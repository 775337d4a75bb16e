"""64 clients spend one tenant's last dollar while its credit is recharged."""

from __future__ import annotations

import asyncio
from contextlib import suppress

import pytest
from sqlalchemy import func, select

from control_plane.money.billing.credit_watch import CREDIT_FELL
from control_plane.money.billing.errors import InsufficientCredits
from control_plane.money.payments import tasks
from control_plane.money.payments.models import UNRESOLVED, Payment
from control_plane.platform.job_queue import (
    PATIENT_QUEUE,
    job_queue,
    job_resources,
    worker_connector,
)
from tests.control_plane.money.billing.books import (
    account_of,
    assert_books_balance,
    new_call,
    reserve,
    settle,
)
from tests.control_plane.money.payments.paying import Payer
from tests.stand_ins.payment_outcomes import ChargeOutcome
from tests.stand_ins.stripe_wire import StripeWire

CLIENTS = 64
CALLS_OF_EACH = 3


@pytest.mark.timeout(300)
async def test_at_most_one_recharge_is_in_flight_and_nothing_is_overdrawn(
    payer: Payer, stripe: StripeWire, postgres_url: str
) -> None:
    assert tasks.credit_fell.name == CREDIT_FELL, "the worker knows the job"
    await payer.saves_a_card()
    await payer.begin(20)
    await payer.has_credit(1)
    await payer.turns_recharging_on(pack_usd=2, threshold_usd=0.9)
    stripe.charges.planned = [ChargeOutcome(delay_seconds=0.05)]
    seen: list[int] = []
    lowest: list[int] = []

    async def client() -> int:
        made = 0
        for _ in range(CALLS_OF_EACH):
            call_id = await new_call(payer.database, payer.tenant_id)
            with suppress(InsufficientCredits):
                await reserve(payer.database, payer.tenant_id, call_id)
                await settle(payer.database, payer.tenant_id, call_id, 30)
                made += 1
            await look()
        return made

    async def look() -> None:
        async with payer.database.system_session() as session:
            found = await session.scalar(
                select(func.count())
                .select_from(Payment)
                .where(Payment.kind == "recharge", Payment.state.in_(UNRESOLVED))
            )
        seen.append(found or 0)
        lowest.append((await account_of(payer.database, payer.tenant_id)).available_micros)

    with job_queue.replace_connector(worker_connector(postgres_url)):
        async with job_queue.open_async():
            working = asyncio.create_task(
                job_queue.run_worker_async(
                    queues=[PATIENT_QUEUE],
                    concurrency=8,
                    fetch_job_polling_interval=0.1,
                    install_signal_handlers=False,
                    additional_context=job_resources(payer.database, payer.settings),
                )
            )
            made = await asyncio.gather(*(client() for _ in range(CLIENTS)))
            async with asyncio.timeout(60):
                while not stripe.intents or seen[-1]:
                    await asyncio.sleep(0.05)
                    await look()
            working.cancel()
            with suppress(asyncio.CancelledError):
                await working
    await stripe.reported()
    assert sum(made) > 1_000_000 // 30_000, "the first dollar was not all that was spent"
    assert len(stripe.intents) >= 1
    assert max(seen) <= 1
    assert stripe.most_charging_at_once == 1
    assert min(lowest) >= 0
    assert len({intent["metadata"]["payment_id"] for intent in stripe.intents.values()}) == len(
        stripe.intents
    )
    await assert_books_balance(payer.database)
