"""Plan credit is granted once a month, used first, and expires without touching a running call."""

from __future__ import annotations

import asyncio
from datetime import UTC, datetime, timedelta
from uuid import UUID

import pytest
from sqlalchemy import text

from control_plane.money.billing import repository, service
from control_plane.money.billing.buckets import Buckets
from control_plane.money.billing.errors import InsufficientCredits
from control_plane.money.plans import repository as plans
from control_plane.money.plans.month import month_of, next_month
from control_plane.money.plans.monthly_credit import begin_month, renew_plan_credit
from control_plane.platform.database import Database
from tests.control_plane.money.billing.books import (
    HALF_MINUTE,
    account_of,
    assert_books_balance,
    buckets_of,
    extend,
    new_call,
    reserve,
    settle,
)

MONTHLY = 100_000
JANUARY = datetime(2026, 1, 15, tzinfo=UTC)
FEBRUARY = datetime(2026, 2, 1, tzinfo=UTC)
MARCH = datetime(2026, 3, 1, tzinfo=UTC)


@pytest.fixture
async def subscriber(books: Database, account: UUID) -> UUID:
    """A tenant whose plan includes ``MONTHLY`` micro-dollars, of which it has had none yet."""
    async with books.system_session() as session:
        await session.execute(
            text(
                "INSERT INTO plans (id, display_name, monthly_credit_micros, byok_allowed)"
                " VALUES ('monthly', 'Monthly', :micros, true)"
            ),
            {"micros": MONTHLY},
        )
        await session.execute(
            text("UPDATE tenants SET plan_id = 'monthly' WHERE id = :id"), {"id": account}
        )
    return account


async def give(books: Database, tenant: UUID, free: int = 0, purchased: int = 0) -> None:
    async with books.system_session() as session:
        await service.grant(session, tenant, free, "Free")
        await service.grant(session, tenant, purchased, "Bought", bucket="purchased")


async def history(books: Database, tenant: UUID) -> list[tuple[str, int]]:
    """Oldest first."""
    async with books.tenant_session(tenant) as session:
        found = await repository.transactions(session, tenant, 200, None, None)
    return [(each.transaction_type, each.amount_micros) for each in reversed(found)]


@pytest.mark.parametrize(("month", "following"), [((2026, 1), (2026, 2)), ((2026, 12), (2027, 1))])
def test_a_month_is_followed_by_the_next(
    month: tuple[int, int], following: tuple[int, int]
) -> None:
    first = month_of(datetime(*month, 31, 23, 59, tzinfo=UTC))
    after = next_month(first)
    assert (after.year, after.month, after.day) == (*following, 1)


async def test_a_month_is_granted_once_however_many_jobs_run(
    books: Database, subscriber: UUID
) -> None:
    renewed = await asyncio.gather(*(renew_plan_credit(books, JANUARY, "INV") for _ in range(6)))
    assert sum(renewed) == 1
    assert await renew_plan_credit(books, JANUARY, "INV") == 0
    assert await history(books, subscriber) == [("grant", MONTHLY)]
    assert await buckets_of(books, subscriber) == Buckets(0, 0, MONTHLY)


async def test_what_is_left_expires_with_the_month(books: Database, subscriber: UUID) -> None:
    await give(books, subscriber, free=5, purchased=7)
    await renew_plan_credit(books, JANUARY, "INV")
    call_id = await new_call(books, subscriber)
    await reserve(books, subscriber, call_id)
    await settle(books, subscriber, call_id, 30)
    assert await renew_plan_credit(books, FEBRUARY, "INV") == 1
    assert (await history(books, subscriber))[2:] == [
        ("grant", MONTHLY),
        ("charge", -HALF_MINUTE),
        ("expiry", -(MONTHLY - HALF_MINUTE)),
        ("grant", MONTHLY),
    ]
    assert await buckets_of(books, subscriber) == Buckets(5, 7, MONTHLY)
    await assert_books_balance(books)


async def test_a_month_that_was_missed_is_not_granted_later(
    books: Database, subscriber: UUID
) -> None:
    await renew_plan_credit(books, JANUARY, "INV")
    await renew_plan_credit(books, MARCH, "INV")
    assert await renew_plan_credit(books, FEBRUARY, "INV") == 0, (
        "a job that comes late changes nothing"
    )
    assert await buckets_of(books, subscriber) == Buckets(0, 0, MONTHLY)


async def test_who_leaves_the_plan_keeps_the_credit_until_the_month_is_over(
    books: Database, subscriber: UUID
) -> None:
    await renew_plan_credit(books, JANUARY, "INV")
    async with books.system_session() as session:
        await session.execute(
            text("UPDATE tenants SET plan_id = 'pay_as_you_go' WHERE id = :id"), {"id": subscriber}
        )
    assert await renew_plan_credit(books, JANUARY, "INV") == 0
    assert await renew_plan_credit(books, FEBRUARY, "INV") == 1
    assert await buckets_of(books, subscriber) == Buckets(0, 0, 0)
    async with books.system_session() as session:
        assert await plans.tenants_due(session, month_of(MARCH), None, 10) == []


async def test_who_comes_back_to_a_plan_gets_credit_for_the_month_that_has_begun(
    books: Database, subscriber: UUID
) -> None:
    async def changes_plan(plan_id: str, at: datetime) -> None:
        async with books.system_session() as session:
            await session.execute(
                text("UPDATE tenants SET plan_id = :plan, plan_since = :at WHERE id = :id"),
                {"plan": plan_id, "at": at, "id": subscriber},
            )

    await renew_plan_credit(books, JANUARY, "INV")
    call_id = await new_call(books, subscriber)
    await reserve(books, subscriber, call_id)
    await changes_plan("pay_as_you_go", JANUARY)
    assert await renew_plan_credit(books, FEBRUARY, "INV") == 1
    assert await renew_plan_credit(books, FEBRUARY, "INV") == 0
    await changes_plan("monthly", FEBRUARY + timedelta(days=9))
    renewed = await asyncio.gather(*(renew_plan_credit(books, FEBRUARY, "INV") for _ in range(3)))
    assert sum(renewed) == 1
    assert await settle(books, subscriber, call_id, 0) == 0
    assert await buckets_of(books, subscriber) == Buckets(0, 0, MONTHLY), "of February only"
    await changes_plan("pay_as_you_go", FEBRUARY + timedelta(days=10))
    await changes_plan("monthly", FEBRUARY + timedelta(days=11))
    assert await renew_plan_credit(books, FEBRUARY, "INV") == 0, "a month is granted once"
    assert await renew_plan_credit(books, MARCH, "INV") == 1
    assert await buckets_of(books, subscriber) == Buckets(0, 0, MONTHLY)
    await assert_books_balance(books)


async def test_plan_credit_is_used_before_free_and_free_before_purchased(
    books: Database, subscriber: UUID
) -> None:
    await give(books, subscriber, free=50_000, purchased=200_000)
    await renew_plan_credit(books, JANUARY, "INV")
    call_id = await new_call(books, subscriber)
    await reserve(books, subscriber, call_id)
    assert await extend(books, subscriber, call_id, 180) == 180
    account = await account_of(books, subscriber)
    assert account.held == Buckets(50_000, 30_000, 100_000)
    await settle(books, subscriber, call_id, 120)
    assert await buckets_of(books, subscriber) == Buckets(30_000, 200_000, 0)
    await assert_books_balance(books)


async def test_simultaneous_first_holds_share_the_buckets_exactly(
    books: Database, subscriber: UUID
) -> None:
    """Plan credit for three, free credit for two, purchased credit for two of twenty calls."""
    await give(books, subscriber, free=2 * HALF_MINUTE, purchased=2 * HALF_MINUTE)
    await renew_plan_credit(books, JANUARY, "INV")
    calls = [await new_call(books, subscriber) for _ in range(20)]
    outcomes = await asyncio.gather(
        *(reserve(books, subscriber, call_id) for call_id in calls), return_exceptions=True
    )
    assert outcomes.count(None) == 7
    account = await account_of(books, subscriber)
    assert account.held.total_micros == 7 * HALF_MINUTE
    assert account.held.plan_micros == MONTHLY
    assert account.held.free_micros == 2 * HALF_MINUTE
    await assert_books_balance(books)


async def test_a_reset_does_not_uncover_a_running_call(books: Database, subscriber: UUID) -> None:
    """The call goes on with what it holds of January, and what it gives back of that expires."""
    await renew_plan_credit(books, JANUARY, "INV")
    call_id = await new_call(books, subscriber)
    await reserve(books, subscriber, call_id)
    await extend(books, subscriber, call_id, 90)
    await renew_plan_credit(books, FEBRUARY, "INV")
    account = await account_of(books, subscriber)
    assert (account.plan_micros, account.held_plan_micros) == (MONTHLY + 90_000, 90_000)
    assert await settle(books, subscriber, call_id, 60) == 60_000
    assert await history(books, subscriber) == [
        ("grant", MONTHLY),
        ("expiry", -(MONTHLY - 90_000)),
        ("grant", MONTHLY),
        ("charge", -60_000),
        ("expiry", -30_000),
    ]
    assert await buckets_of(books, subscriber) == Buckets(0, 0, MONTHLY)
    await assert_books_balance(books)


async def test_a_call_over_two_months_uses_the_old_credit_first(
    books: Database, subscriber: UUID
) -> None:
    await renew_plan_credit(books, JANUARY, "INV")
    call_id = await new_call(books, subscriber)
    await reserve(books, subscriber, call_id)
    await renew_plan_credit(books, FEBRUARY, "INV")
    await extend(books, subscriber, call_id, 90)
    assert await settle(books, subscriber, call_id, 60) == 60_000
    assert await buckets_of(books, subscriber) == Buckets(0, 0, MONTHLY - 30_000)
    await assert_books_balance(books)


async def test_what_a_phone_call_gives_back_of_an_earlier_month_expires(
    books: Database, subscriber: UUID
) -> None:
    await renew_plan_credit(books, JANUARY, "INV")
    call_id = await new_call(books, subscriber)
    await reserve(books, subscriber, call_id)
    await renew_plan_credit(books, FEBRUARY, "INV")
    async with books.tenant_session(subscriber) as session:
        await service.empty_reserve(session, subscriber, call_id)
    assert await buckets_of(books, subscriber) == Buckets(0, 0, MONTHLY)
    assert await extend(books, subscriber, call_id, 30) == 30
    async with books.system_session() as session:
        await begin_month(session, subscriber, month_of(MARCH), invoice_prefix="INV", now=MARCH)
    async with books.tenant_session(subscriber) as session:
        await service.empty_reserve(session, subscriber, call_id)
    assert await buckets_of(books, subscriber) == Buckets(0, 0, MONTHLY)
    await assert_books_balance(books)


async def test_without_extra_usage_calls_stop_at_the_included_credit(
    books: Database, subscriber: UUID
) -> None:
    await give(books, subscriber, purchased=1_000_000)
    await renew_plan_credit(books, JANUARY, "INV")
    async with books.tenant_session(subscriber) as session:
        await repository.set_extra_usage(session, subscriber, False)
    call_id = await new_call(books, subscriber)
    await reserve(books, subscriber, call_id)
    assert await extend(books, subscriber, call_id, 600) == 90, "of $0.10 at $0.06 a minute"
    with pytest.raises(InsufficientCredits):
        await reserve(books, subscriber, await new_call(books, subscriber))
    assert await settle(books, subscriber, call_id, 600) == 90_000
    assert await buckets_of(books, subscriber) == Buckets(0, 1_000_000, 10_000)
    async with books.tenant_session(subscriber) as session:
        await repository.set_extra_usage(session, subscriber, True)
    await reserve(books, subscriber, await new_call(books, subscriber))
    await assert_books_balance(books)


async def test_a_debt_stops_calls_although_there_is_plan_credit(
    books: Database, subscriber: UUID
) -> None:
    await renew_plan_credit(books, JANUARY, "INV")
    async with books.system_session() as session:
        await service.adjust(
            session, subscriber, "correction", -MONTHLY, "Debt", reference="c1", details={}
        )
        await service.adjust(
            session, subscriber, "correction", -1, "Debt", reference="c2", details={}
        )
    await renew_plan_credit(books, FEBRUARY, "INV")
    assert await buckets_of(books, subscriber) == Buckets(0, -1, MONTHLY)
    calls = [await new_call(books, subscriber) for _ in range(4)]
    for call_id in calls[:3]:
        await reserve(books, subscriber, call_id)
    with pytest.raises(InsufficientCredits):
        await reserve(books, subscriber, calls[3])


async def test_a_correction_takes_nothing_that_a_call_holds(
    books: Database, subscriber: UUID
) -> None:
    await renew_plan_credit(books, JANUARY, "INV")
    call_id = await new_call(books, subscriber)
    await reserve(books, subscriber, call_id)
    async with books.system_session() as session:
        await service.adjust(
            session, subscriber, "correction", -MONTHLY, "Wrong", reference="c", details={}
        )
    assert await buckets_of(books, subscriber) == Buckets(0, -HALF_MINUTE, HALF_MINUTE)
    assert await settle(books, subscriber, call_id, 30) == HALF_MINUTE
    assert await buckets_of(books, subscriber) == Buckets(0, -HALF_MINUTE, 0)
    await assert_books_balance(books)


async def test_what_the_previous_release_holds_and_gives_back_keeps_the_sums(
    books: Database, subscriber: UUID
) -> None:
    """Its statements name neither the new columns nor the third bucket."""
    await renew_plan_credit(books, JANUARY, "INV")
    old, mixed = [await new_call(books, subscriber) for _ in range(2)]
    await reserve(books, subscriber, mixed)
    async with books.tenant_session(subscriber) as session:
        await session.execute(
            text(
                "INSERT INTO call_reserves (call_id, tenant_id, held_micros, state)"
                " VALUES (:call, :tenant, 20000, 'open')"
            ),
            {"call": old, "tenant": subscriber},
        )
        await session.execute(
            text("UPDATE call_reserves SET held_micros = 10000 WHERE call_id = :call"),
            {"call": mixed},
        )
    account = await account_of(books, subscriber)
    assert account.held == Buckets(0, 20_000, 10_000)
    assert account.available_micros == MONTHLY - 30_000
    assert await settle(books, subscriber, mixed, 30) == HALF_MINUTE
    assert await settle(books, subscriber, old, 30) == HALF_MINUTE
    assert await buckets_of(books, subscriber) == Buckets(0, 0, MONTHLY - 2 * HALF_MINUTE)
