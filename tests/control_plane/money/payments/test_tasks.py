"""The jobs of payments, as the jobs process runs them."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from functools import partial
from types import SimpleNamespace
from typing import Any

import pytest
from sqlalchemy import text
from structlog.testing import capture_logs

from control_plane.money.payments import repository, tasks
from control_plane.platform.job_queue import job_queue, job_resources
from tests.control_plane.money.payments.paying import Payer
from tests.control_plane.money.payments.test_recharging import ready, settings_of, states
from tests.control_plane.owned_books import change_books
from tests.stand_ins.payment_outcomes import ChargeOutcome
from tests.stand_ins.stripe_wire import StripeWire


def context_of(payer: Payer) -> Any:
    """What a job gets from the process that runs it."""
    return SimpleNamespace(additional_context=job_resources(payer.database, payer.settings))


async def look_again(payer: Payer) -> None:
    await tasks.reconcile(context_of(payer), timestamp=0)


async def is_in_turn(payer: Payer) -> bool:
    """Whether the job takes the tenant."""
    async with payer.database.system_session() as session:
        found = await repository.tenants_below_their_threshold(session, datetime.now(UTC), 10)
    return payer.tenant_id in found


def test_the_job_that_looks_again_runs_every_minute() -> None:
    crons = {
        task.task.name: task.cron for task in job_queue.periodic_registry.periodic_tasks.values()
    }
    assert crons["payments.reconcile"] == "* * * * *"


async def test_a_declined_recharge_is_tried_again_after_its_wait_and_not_before(
    payer: Payer, stripe: StripeWire, monkeypatch: pytest.MonkeyPatch
) -> None:
    await ready(payer)
    stripe.charges.planned = [ChargeOutcome("declines"), ChargeOutcome()]
    await tasks.credit_fell(context_of(payer), tenant_id=str(payer.tenant_id))
    await stripe.reported()
    assert (await settings_of(payer)).declines == 1
    declined_at = datetime.now(UTC)
    for minutes, expected in ((59, ["failed"]), (61, ["failed", "succeeded"])):
        now = declined_at + timedelta(minutes=minutes)
        monkeypatch.setattr(tasks, "_now", partial(datetime.fromtimestamp, now.timestamp(), UTC))
        await look_again(payer)
        assert await states(payer) == expected
    await stripe.reported()
    assert await payer.entries() == [("grant", 1.0), ("topup", 20.0)]


async def test_a_method_that_is_saved_while_the_credit_is_low_is_charged(
    payer: Payer, stripe: StripeWire
) -> None:
    await payer.begin(20)
    await payer.has_credit(1)
    await payer.turns_recharging_on(pack_usd=20, threshold_usd=5)
    await look_again(payer)
    assert stripe.intents == {}
    await payer.saves_a_card()
    await look_again(payer)
    await stripe.reported()
    assert await payer.entries() == [("grant", 1.0), ("topup", 20.0)]


async def test_what_a_lost_job_should_have_recharged_is_recharged_once(
    payer: Payer, stripe: StripeWire
) -> None:
    await ready(payer)
    async with payer.database.system_session() as session:
        await session.execute(text("DELETE FROM procrastinate_jobs"))
    for _ in range(2):
        await look_again(payer)
    await stripe.reported()
    assert stripe.captured_minor == 2000
    assert await payer.entries() == [("grant", 1.0), ("topup", 20.0)]


@pytest.mark.parametrize(
    "change",
    [
        "UPDATE auto_recharges SET enabled = false",
        "UPDATE auto_recharges SET retry_at = now() + interval '1 minute'",
        "UPDATE auto_recharges SET threshold_micros = 1000000",
        "UPDATE payment_methods SET deleted_at = now()",
        "UPDATE payment_methods SET is_default = false",
    ],
)
async def test_a_tenant_of_whom_nothing_may_be_recharged_takes_no_others_turn(
    payer: Payer, stripe: StripeWire, change: str
) -> None:
    """The job takes so many tenants at once; those of whom it gets nothing would come again."""
    await ready(payer)
    assert await is_in_turn(payer)
    async with payer.database.system_session() as session:
        await session.execute(text(change))
    assert not await is_in_turn(payer)
    await look_again(payer)
    assert stripe.intents == {}


async def test_a_tenant_whose_account_is_not_active_takes_no_others_turn(
    payer: Payer, stripe: StripeWire
) -> None:
    await ready(payer)
    await change_books(payer.database, "UPDATE billing_accounts SET is_active = false")
    assert not await is_in_turn(payer)
    await look_again(payer)
    assert stripe.intents == {}


async def test_a_tenant_whose_recharge_is_in_flight_takes_no_others_turn(
    payer: Payer, stripe: StripeWire
) -> None:
    await ready(payer)
    stripe.charges.planned = [ChargeOutcome("fails_before_charging")]
    await look_again(payer)
    assert await states(payer) == ["claimed"]
    assert not await is_in_turn(payer)


async def test_the_audit_of_payments_logs_each_difference_with_its_tenant(
    payer: Payer, stripe: StripeWire
) -> None:
    begun = await payer.begin(20)
    await stripe.customer_pays(begun["stripe"]["session_id"])
    assert await audited(payer) == []
    async with payer.database.system_session() as session:
        await session.execute(
            text("UPDATE payments SET credit_micros = 1 WHERE state = 'succeeded'")
        )
    [logged] = await audited(payer)
    assert logged["log_level"] == "error"
    assert logged["tenant_id"] == str(payer.tenant_id)
    assert "is $0.000001, and its entry is $20.000000" in logged["what"]


async def audited(payer: Payer) -> list[Any]:
    """What the job logs about the books."""
    with capture_logs() as logs:
        await tasks.audit(context_of(payer), timestamp=0)
    return [each for each in logs if each["event"] == "payments_do_not_balance"]
