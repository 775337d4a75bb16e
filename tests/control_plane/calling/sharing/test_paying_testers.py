"""A tester whose free minutes are used pays for calls from an account of their own."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from uuid import UUID

import pytest
from sqlalchemy import text, update
from sqlalchemy.exc import DBAPIError

from contracts.commands import EndCall
from contracts.money import billable_seconds, charge_micros
from control_plane.calling.calls.events.consumer import EventConsumer
from control_plane.identity.accounts.models import User
from control_plane.money.billing import service as billing
from control_plane.money.billing.audits.audit import audit_books
from control_plane.money.billing.credit_watch import CREDIT_FELL, watch_available_credit
from control_plane.platform.database import Database
from tests.control_plane.building.provider_keys.test_own_keys_in_plans import MINE, bring_keys
from tests.control_plane.calling.sharing.paying import (
    NOAH,
    PayingTester,
    charges_of,
    money_of,
    paying_tester,
)
from tests.control_plane.calling.sharing.visitors import Sharing, hung_up, outcome
from tests.control_plane.conftest import TenantClient
from tests.control_plane.conversation import catch_up
from tests.control_plane.dashboard import dashboard_client
from tests.control_plane.fake_worker import FakeWorker
from tests.control_plane.money.billing.books import account_of, assert_books_balance

HALF_MINUTE = 10_000
"""What 30 seconds cost: local models cost nothing, and the platform's fee is $0.02 a minute."""
RATE = 2 * HALF_MINUTE


@pytest.fixture
async def noah(
    sharing: Sharing, other_tenant: TenantClient, database: Database
) -> AsyncIterator[PayingTester]:
    """Has no free minutes, and an account with a dollar. The books are right afterwards."""
    await set_balance(database, other_tenant, 1_000_000)
    yield await paying_tester(sharing, other_tenant, database)
    await assert_books_balance(database, [sharing.tenant.tenant_id, other_tenant.tenant_id])
    tenants = {sharing.tenant.tenant_id, other_tenant.tenant_id}
    assert [each for each in await audit_books(database) if each.tenant_id in tenants] == []


async def set_balance(database: Database, tenant: TenantClient, micros: int) -> None:
    async with database.system_session() as session:
        before = (await account_of(database, tenant.tenant_id)).buckets.total_micros
        await billing.adjust(
            session,
            tenant.tenant_id,
            "correction",
            micros - before,
            "For the test",
            reference=f"test:{micros}",
            details={},
        )


async def test_the_tester_pays_the_exact_bill_and_the_owner_nothing(
    sharing: Sharing,
    noah: PayingTester,
    database: Database,
    worker: FakeWorker,
    consumer: EventConsumer,
) -> None:
    owner_before = await money_of(database, sharing.tenant)
    plan = await noah.talking(worker, consumer)
    assert await money_of(database, noah.account) == (1_000_000, 3 * HALF_MINUTE)
    assert await money_of(database, sharing.tenant) == owner_before
    await hung_up(plan, worker, consumer, 61)
    price = charge_micros(billable_seconds(61_000), RATE)
    assert price == 3 * HALF_MINUTE
    assert await money_of(database, noah.account) == (1_000_000 - price, 0)
    assert await money_of(database, sharing.tenant) == owner_before
    assert await charges_of(database, sharing.tenant) == []
    [charge] = await charges_of(database, noah.account)
    assert (charge.amount_micros, charge.amount_seconds) == (-price, -90)
    assert charge.call_id == plan.call_id
    assert charge.details == {
        "end_reason": "participant_disconnected",
        "connected_ms": 61_000,
        "shared_agent": "Mia",
        "rates": [{"from_ms": 0, "micros_per_minute": RATE}],
    }


async def test_free_minutes_are_used_first(
    sharing: Sharing,
    other_tenant: TenantClient,
    database: Database,
    worker: FakeWorker,
    consumer: EventConsumer,
) -> None:
    await set_balance(database, other_tenant, 1_000_000)
    noah = await paying_tester(sharing, other_tenant, database, minutes_limit=1)
    assert (await noah.visitor.look())["can_pay"] is False
    free = await noah.talking(worker, consumer)
    assert free.limits.max_duration_seconds == 60
    await hung_up(free, worker, consumer, 60)
    assert await charges_of(database, noah.account) == []
    assert len(await charges_of(database, sharing.tenant)) == 1
    paid = await noah.talking(worker, consumer)
    assert paid.limits.max_duration_seconds > 60
    await hung_up(paid, worker, consumer, 90)
    assert len(await charges_of(database, noah.account)) == 1
    assert len(await charges_of(database, sharing.tenant)) == 1
    testers = (await sharing.tenant.get(f"/v1/agents/{sharing.agent_id}/testers")).json()
    assert testers["testers"][0]["seconds_used"] == 60, "a paid call uses no free minutes"


async def test_the_page_says_that_a_tester_can_pay_and_at_which_price(
    sharing: Sharing, noah: PayingTester
) -> None:
    shown = await noah.visitor.look()
    assert (shown["state"], shown["can_pay"], shown["price_per_min"]) == ("empty", True, 0.02)
    assert outcome(await noah.visitor.call()) == (409, "share_link_pool_empty")
    assert (await noah.visitor.ask_for_minutes()).status_code == 200, "asking stays possible"
    assert (await noah.payer()).json() == {
        "email": NOAH,
        "account": (await noah.account.get("/v1/me")).json()["tenant"]["name"],
        "available_usd": 1.0,
    }
    link = await sharing.visitor(minutes_limit=0)
    assert (await link.look())["can_pay"] is False, "visitors of a public link have no account"


async def test_the_call_stays_the_owners(
    sharing: Sharing,
    noah: PayingTester,
    database: Database,
    worker: FakeWorker,
    consumer: EventConsumer,
) -> None:
    plan = await noah.talking(worker, consumer)
    await hung_up(plan, worker, consumer, 20)
    path = f"/v1/calls/{plan.call_id}"
    call = (await sharing.tenant.get(path)).json()
    assert call["metadata"] == {"tester_id": str(noah.tester_id), "paid_by": "tester"}
    assert (call["total_cost"], call["telecom_cost"]) == (0, 0)
    bill = (await sharing.tenant.get(f"{path}/bill")).json()
    assert (bill["paid_by"], bill["total_cost"], bill["charge"], bill["hold"]) == (
        "tester",
        0,
        None,
        None,
    )
    log = (await sharing.tenant.get(f"{path}/events")).text
    assert "The tester pays for 30 seconds" in log
    assert "$" not in log
    assert (await sharing.tenant.get("/v1/billing/calls")).json()["calls"] == []
    assert (await sharing.tenant.get("/v1/billing/spend")).json()["total_usd"] == 0
    for rest in ("", "/transcript", "/events", "/bill", "/recording", "/summary"):
        answer = await noah.account.get(path + rest)
        assert outcome(answer)[0] in (403, 404), (rest, answer.text)
        assert answer.json()["code"] in ("call_not_found", "call_of_another_tenant")
    assert (await noah.account.get("/v1/calls")).json()["calls"] == []
    assert (await noah.account.get("/v1/billing/calls")).json()["calls"] == []


@pytest.mark.parametrize("by", ["day", "agent", "model"])
async def test_the_payers_spend_names_neither_the_agent_nor_its_models(
    sharing: Sharing,
    noah: PayingTester,
    worker: FakeWorker,
    consumer: EventConsumer,
    by: str,
) -> None:
    plan = await noah.talking(worker, consumer)
    await hung_up(plan, worker, consumer, 20)
    spend = (await noah.account.get(f"/v1/billing/spend?by={by}")).json()
    [group] = spend["groups"]
    assert (group["calls"], group["minutes"], group["spend_usd"]) == (1, 0.5, 0.01)
    assert spend["total_usd"] == 0.01
    if by != "day":
        assert (group["key"], group["name"]) == ("shared", None)
    listed = (await noah.account.get("/v1/billing/transactions")).text
    for choice in (plan.stack.stt, plan.stack.llm, plan.stack.tts):
        assert choice is None or choice.primary.model not in listed


async def test_a_call_that_never_connects_costs_nobody_anything(
    sharing: Sharing,
    noah: PayingTester,
    database: Database,
) -> None:
    assert (await noah.pay()).status_code == 201
    assert await money_of(database, noah.account) == (1_000_000, HALF_MINUTE)
    revoked = await sharing.tenant.request(
        "DELETE", f"/v1/agents/{sharing.agent_id}/testers/{noah.tester_id}"
    )
    assert revoked.status_code == 204
    assert await money_of(database, noah.account) == (1_000_000, 0)
    assert outcome(await noah.pay()) == (409, "share_link_off")


async def test_an_account_without_credit_is_told_what_helps(
    noah: PayingTester, database: Database
) -> None:
    await set_balance(database, noah.account, HALF_MINUTE - 1)
    refused = await noah.pay()
    assert outcome(refused) == (402, "insufficient_credits")
    assert "add credit in the console" in refused.json()["detail"]
    assert await money_of(database, noah.account) == (HALF_MINUTE - 1, 0)


async def test_a_call_ends_when_the_payers_credit_is_used(
    sharing: Sharing,
    noah: PayingTester,
    database: Database,
    worker: FakeWorker,
    consumer: EventConsumer,
) -> None:
    await set_balance(database, noah.account, 2 * HALF_MINUTE)
    plan = await noah.talking(worker, consumer)
    await worker.meter(plan, 58_000)
    await catch_up(consumer)
    commands = [command.body for command in await worker.commands()]
    assert any(isinstance(body, EndCall) for body in commands)
    await hung_up(plan, worker, consumer, 75)
    assert await money_of(database, noah.account) == (0, 0), "never below nothing"
    assert (await sharing.tenant.get(f"/v1/calls/{plan.call_id}")).json()["total_cost"] == 0


async def test_however_many_calls_begin_at_once_the_account_is_not_overdrawn(
    sharing: Sharing, noah: PayingTester, database: Database
) -> None:
    await set_balance(database, noah.account, 2 * HALF_MINUTE)
    agents = [await sharing.tenant.published_agent() for _ in range(5)]
    many = [
        await paying_tester(Sharing(sharing.tenant, agent), noah.account, database)
        for agent in agents
    ]
    answers = await asyncio.gather(*(each.pay() for each in (noah, *many, noah, *many)))
    outcomes = [outcome(answer) for answer in answers]
    assert outcomes.count((201, None)) == 2
    refused = {(402, "insufficient_credits"), (409, "share_link_busy")}
    assert set(outcomes) <= {(201, None), *refused}
    assert await money_of(database, noah.account) == (2 * HALF_MINUTE, 2 * HALF_MINUTE)


async def test_a_tester_is_in_one_call_at_a_time(
    noah: PayingTester, worker: FakeWorker, consumer: EventConsumer
) -> None:
    plan = await noah.talking(worker, consumer)
    assert outcome(await noah.pay()) == (409, "share_link_busy")
    await hung_up(plan, worker, consumer, 5)
    assert (await noah.pay()).status_code == 201


async def test_nobody_pays_without_a_session_of_the_invited_person(
    sharing: Sharing, noah: PayingTester, database: Database
) -> None:
    async def code(headers: dict[str, str]) -> tuple[int, str | None]:
        return outcome(await noah.pay(headers))

    account = noah.account
    assert await code({}) == (401, "unauthorized")
    assert await code(account.headers) == (403, "session_required")
    assert await code(await account.publishable_key()) == (403, "session_required")
    cookie = {"Cookie": noah.person.headers["Cookie"]}
    assert await code(cookie) == (403, "csrf_token_required")
    abroad = noah.person.headers | {"Origin": "https://evil.example"}
    assert await code(abroad) == (403, "foreign_origin")
    other = await dashboard_client(account, database, "owner", email="mia@example.com")
    assert await code(other.headers) == (403, "payer_not_allowed")
    own = await dashboard_client(sharing.tenant, database, "owner", email=NOAH)
    assert await code(own.headers) == (403, "payer_not_allowed"), "the owner gives minutes instead"
    member = await dashboard_client(sharing.tenant, database, "member", email="eve@example.com")
    assert await code(member.headers) == (403, "payer_not_allowed")
    assert await money_of(database, account) == (1_000_000, 0)


async def test_a_member_cannot_spend_and_an_admin_can(
    noah: PayingTester, database: Database
) -> None:
    member = await dashboard_client(noah.account, database, "member", email=NOAH)
    assert outcome(await noah.pay(member.headers)) == (403, "role_required")
    admin = await dashboard_client(noah.account, database, "admin", email=NOAH)
    assert (await noah.pay(admin.headers)).status_code == 201


@pytest.mark.parametrize("waived", [False, True])
async def test_an_address_that_is_not_confirmed_pays_nothing(
    noah: PayingTester, database: Database, waived: bool
) -> None:
    async with database.system_session() as session:
        await session.execute(
            update(User)
            .where(User.email == NOAH)
            .values(email_confirmed_at=None, confirmation_waived=waived)
        )
    code = "payer_not_allowed" if waived else "email_not_confirmed"
    assert outcome(await noah.pay()) == (403, code)
    assert outcome(await noah.payer()) == (403, code)


async def test_a_public_link_takes_no_payments(sharing: Sharing, noah: PayingTester) -> None:
    link = await sharing.visitor(minutes_limit=0)
    answer = await noah.person.post(f"/v1/shared/{link.token}/paid-calls")
    assert outcome(answer) == (404, "share_not_found")


async def test_nobody_pays_for_calls_on_the_owners_keys(
    tenant: TenantClient,
    other_tenant: TenantClient,
    database: Database,
    worker: FakeWorker,
    consumer: EventConsumer,
) -> None:
    await bring_keys(tenant, "openai", "anthropic")
    sharing = Sharing(tenant, await tenant.published_agent(**MINE))
    noah = await paying_tester(sharing, other_tenant, database, minutes_limit=1)
    plan = await noah.talking(worker, consumer)
    await hung_up(plan, worker, consumer, 60)
    shown = await noah.visitor.look()
    assert (shown["state"], shown["can_pay"], shown["price_per_min"]) == ("empty", False, None)
    before = await money_of(database, other_tenant)
    assert outcome(await noah.pay()) == (409, "share_link_pool_empty")
    assert await money_of(database, other_tenant) == before
    assert len((await tenant.get("/v1/calls")).json()["calls"]) == 1


async def test_a_revoked_testers_paid_call_is_billed_to_its_last_known_second(
    sharing: Sharing,
    noah: PayingTester,
    database: Database,
    worker: FakeWorker,
    consumer: EventConsumer,
) -> None:
    plan = await noah.talking(worker, consumer)
    await worker.meter(plan, 31_000)
    await catch_up(consumer)
    await worker.drop_lease(plan.call_id)
    ended = await sharing.tenant.post(f"/v1/calls/{plan.call_id}/end")
    assert ended.status_code == 200, ended.text
    assert await money_of(database, noah.account) == (1_000_000 - 2 * HALF_MINUTE, 0)


async def test_the_payers_credit_is_watched_and_the_owners_is_not(
    noah: PayingTester, database: Database
) -> None:
    async with database.system_session() as session:
        await watch_available_credit(session, noah.account.tenant_id, 1_000_000)
    assert (await noah.pay()).status_code == 201
    jobs = text("SELECT args->>'tenant_id' FROM procrastinate_jobs WHERE task_name = :name")
    async with database.system_session() as session:
        told = (await session.scalars(jobs, {"name": CREDIT_FELL})).all()
    assert told == [str(noah.account.tenant_id)]


@pytest.mark.parametrize(
    "insert",
    [
        "INSERT INTO calls (id, tenant_id, agent_id, room_name, status, plan, payer_tenant_id)"
        " VALUES (:id, :own, :id, 'room', 'connecting', '{}', :payer)",
        "INSERT INTO call_reserves (call_id, tenant_id, payer_tenant_id, held_micros)"
        " VALUES (:id, :own, :payer, 1)",
    ],
)
async def test_a_tenants_session_can_make_nobody_else_pay(
    sharing: Sharing, noah: PayingTester, database: Database, insert: str
) -> None:
    own, payer = sharing.tenant.tenant_id, noah.account.tenant_id
    with pytest.raises(DBAPIError, match="row-level security"):
        async with database.tenant_session(own) as session:
            await session.execute(text(insert), {"id": UUID(int=1), "own": own, "payer": payer})
