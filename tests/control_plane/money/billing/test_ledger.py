"""The ledger against a real PostgreSQL: what must hold however many calls run at once."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from uuid import UUID, uuid4

import pytest
from sqlalchemy import func, select, text
from sqlalchemy.exc import DBAPIError
from sqlalchemy.ext.asyncio import AsyncSession

from control_plane.money.billing import repository, service
from control_plane.money.billing.audits import repository as audit_repository
from control_plane.money.billing.buckets import Buckets
from control_plane.money.billing.errors import InsufficientCredits
from control_plane.money.billing.models import CallReserve, LedgerEntry
from control_plane.money.billing.tariff import Tariff
from control_plane.platform.database import Database
from tests.control_plane.owned_books import change_books

RATE = 60_000
HALF_MINUTE = 30_000


@pytest.fixture
async def database(postgres_url: str) -> AsyncIterator[Database]:
    database = Database(postgres_url, deadline_seconds=30)
    yield database
    await database.aclose()


@pytest.fixture
async def tenant(database: Database) -> UUID:
    tenant_id = uuid4()
    async with database.system_session() as session:
        await session.execute(
            text("INSERT INTO tenants (id, name) VALUES (:id, 'Ledger')"), {"id": tenant_id}
        )
    return tenant_id


async def give(database: Database, tenant: UUID, micros: int, bucket: str = "free") -> None:
    async with database.system_session() as session:
        await service.grant(session, tenant, micros, "Credit", bucket=bucket)  # type: ignore[arg-type]


async def new_call(database: Database, tenant: UUID) -> UUID:
    call_id = uuid4()
    async with database.tenant_session(tenant) as session:
        await session.execute(
            text(
                "INSERT INTO calls (id, tenant_id, agent_id, room_name, status, plan)"
                " VALUES (:id, :tenant, :id, 'room', 'connecting', '{}')"
            ),
            {"id": call_id, "tenant": tenant},
        )
    return call_id


async def reserve(database: Database, tenant: UUID, call_id: UUID, seconds: int = 30) -> None:
    async with database.tenant_session(tenant) as session:
        await service.reserve(session, tenant, call_id, seconds, RATE)


async def settle(database: Database, tenant: UUID, call_id: UUID, seconds: int) -> int:
    async with database.tenant_session(tenant) as session:
        settled = await service.settle(session, tenant, call_id, seconds, Tariff.flat(RATE), {})
        return settled.charge_micros


async def entry_sums(session: AsyncSession, tenant_id: UUID) -> Buckets:
    """What all ledger entries of the tenant add up to."""
    row = (
        await session.execute(
            select(
                func.coalesce(func.sum(LedgerEntry.free_micros), 0),
                func.coalesce(func.sum(LedgerEntry.purchased_micros), 0),
            ).where(LedgerEntry.tenant_id == tenant_id)
        )
    ).one()
    return Buckets(int(row[0]), int(row[1]))


async def open_reserve_sum(session: AsyncSession, tenant_id: UUID) -> int:
    """What all open reserves of the tenant add up to, in micro-dollars."""
    total = await session.scalar(
        select(func.coalesce(func.sum(CallReserve.held_micros), 0)).where(
            CallReserve.tenant_id == tenant_id, CallReserve.state == "open"
        )
    )
    return int(total or 0)


async def assert_books_balance(database: Database, tenant: UUID) -> None:
    """The account's totals are the sums of the entries and of the open reserves."""
    async with database.tenant_session(tenant) as session:
        account = await repository.account(session, tenant)
        assert account is not None
        assert account.buckets == await entry_sums(session, tenant)
        assert account.held_micros == await open_reserve_sum(session, tenant)


async def totals(database: Database, tenant: UUID) -> tuple[int, int, int]:
    async with database.tenant_session(tenant) as session:
        account = await repository.account(session, tenant)
        assert account is not None
        return account.free_micros, account.purchased_micros, account.held_micros


async def test_a_tenant_without_an_account_cannot_reserve(database: Database, tenant: UUID) -> None:
    with pytest.raises(InsufficientCredits):
        await reserve(database, tenant, await new_call(database, tenant))


async def test_a_reserve_is_held_and_then_gone(database: Database, tenant: UUID) -> None:
    await give(database, tenant, 100_000)
    call_id = await new_call(database, tenant)
    await reserve(database, tenant, call_id)
    assert await totals(database, tenant) == (100_000, 0, HALF_MINUTE)
    assert await settle(database, tenant, call_id, 60) == 60_000
    assert await totals(database, tenant) == (40_000, 0, 0)
    await assert_books_balance(database, tenant)


async def test_a_call_that_never_connected_costs_nothing(database: Database, tenant: UUID) -> None:
    await give(database, tenant, 100_000)
    call_id = await new_call(database, tenant)
    await reserve(database, tenant, call_id)
    assert await settle(database, tenant, call_id, 0) == 0
    assert await totals(database, tenant) == (100_000, 0, 0)
    async with database.tenant_session(tenant) as session:
        entries = await repository.transactions(session, tenant, 50, None, None)
    assert [entry.transaction_type for entry in entries] == ["grant"]


async def test_a_charge_empties_the_free_bucket_first(database: Database, tenant: UUID) -> None:
    await give(database, tenant, 40_000)
    await give(database, tenant, 500_000, "purchased")
    call_id = await new_call(database, tenant)
    await reserve(database, tenant, call_id)
    await settle(database, tenant, call_id, 60)
    assert await totals(database, tenant) == (0, 480_000, 0)
    await assert_books_balance(database, tenant)


async def test_a_reserve_is_extended_only_while_credit_lasts(
    database: Database, tenant: UUID
) -> None:
    await give(database, tenant, 70_000)
    call_id = await new_call(database, tenant)
    await reserve(database, tenant, call_id)
    async with database.tenant_session(tenant) as session:
        assert await service.extend(session, tenant, call_id, 60, RATE) == 60
        assert await service.extend(session, tenant, call_id, 30, RATE) == 60, "already covered"
        assert await service.extend(session, tenant, call_id, 90, RATE) == 60
    assert await totals(database, tenant) == (70_000, 0, 60_000)


async def test_a_reserve_is_extended_as_far_as_the_balance_allows(
    database: Database, tenant: UUID
) -> None:
    await give(database, tenant, 100_000)
    call_id = await new_call(database, tenant)
    await reserve(database, tenant, call_id)
    async with database.tenant_session(tenant) as session:
        assert await service.extend(session, tenant, call_id, 600, RATE) == 90
    assert await totals(database, tenant) == (100_000, 0, 90_000)


async def test_the_reserve_of_an_inactive_account_is_not_extended(
    database: Database, tenant: UUID
) -> None:
    await give(database, tenant, 100_000)
    call_id = await new_call(database, tenant)
    await reserve(database, tenant, call_id)
    await change_books(database, "UPDATE billing_accounts SET is_active = false")
    async with database.tenant_session(tenant) as session:
        assert await service.extend(session, tenant, call_id, 60, RATE) == 30
    assert await totals(database, tenant) == (100_000, 0, HALF_MINUTE)


async def test_an_empty_reserve_needs_credit_and_holds_none(
    database: Database, tenant: UUID
) -> None:
    await give(database, tenant, HALF_MINUTE)
    call_id, other, third = [await new_call(database, tenant) for _ in range(3)]
    for each in (call_id, other):
        async with database.tenant_session(tenant) as session:
            await service.reserve(session, tenant, each, 30, RATE, hold=False)
    assert await totals(database, tenant) == (HALF_MINUTE, 0, 0)
    async with database.tenant_session(tenant) as session:
        assert await service.extend(session, tenant, call_id, 30, RATE) == 30
        assert await service.extend(session, tenant, other, 30, RATE) == 0
    assert await totals(database, tenant) == (HALF_MINUTE, 0, HALF_MINUTE)
    with pytest.raises(InsufficientCredits):
        async with database.tenant_session(tenant) as session:
            await service.reserve(session, tenant, third, 30, RATE, hold=False)
    async with database.tenant_session(tenant) as session:
        await service.empty_reserve(session, tenant, call_id)
        await service.empty_reserve(session, tenant, call_id)
        assert await service.extend(session, tenant, other, 30, RATE) == 30
    await assert_books_balance(database, tenant)
    assert await settle(database, tenant, call_id, 0) == 0


async def test_a_reserve_is_settled_at_most_once(database: Database, tenant: UUID) -> None:
    await give(database, tenant, 1_000_000)
    call_id = await new_call(database, tenant)
    await reserve(database, tenant, call_id)
    outcomes = await asyncio.gather(
        *(settle(database, tenant, call_id, 30) for _ in range(8)), return_exceptions=True
    )
    assert outcomes.count(HALF_MINUTE) == 1
    assert sum(isinstance(outcome, LookupError) for outcome in outcomes) == 7
    assert await totals(database, tenant) == (970_000, 0, 0)
    await assert_books_balance(database, tenant)


async def test_a_settled_reserve_is_not_extended_again(database: Database, tenant: UUID) -> None:
    await give(database, tenant, 1_000_000)
    call_id = await new_call(database, tenant)
    await reserve(database, tenant, call_id)
    await settle(database, tenant, call_id, 30)
    async with database.tenant_session(tenant) as session:
        assert await service.extend(session, tenant, call_id, 600, RATE) is None
    assert await totals(database, tenant) == (970_000, 0, 0)


async def test_what_was_served_beyond_the_reserve_is_charged_if_the_balance_allows_it(
    database: Database, tenant: UUID
) -> None:
    await give(database, tenant, 80_000)
    call_id = await new_call(database, tenant)
    await reserve(database, tenant, call_id)
    assert await settle(database, tenant, call_id, 600) == 60_000
    assert await totals(database, tenant) == (20_000, 0, 0)
    await assert_books_balance(database, tenant)


async def test_a_charge_takes_nothing_that_another_call_holds(
    database: Database, tenant: UUID
) -> None:
    await give(database, tenant, 60_000)
    call_id, other = [await new_call(database, tenant) for _ in range(2)]
    await reserve(database, tenant, call_id)
    await reserve(database, tenant, other)
    assert await settle(database, tenant, call_id, 60) == HALF_MINUTE
    assert await totals(database, tenant) == (HALF_MINUTE, 0, HALF_MINUTE)
    assert await settle(database, tenant, other, 30) == HALF_MINUTE
    assert await totals(database, tenant) == (0, 0, 0)
    await assert_books_balance(database, tenant)
    with pytest.raises(InsufficientCredits):
        await reserve(database, tenant, await new_call(database, tenant))


async def test_simultaneous_calls_cannot_overdraw_a_tenant(
    database: Database, tenant: UUID
) -> None:
    """Credit for seven calls, forty at once: exactly seven get it."""
    await give(database, tenant, 7 * HALF_MINUTE + HALF_MINUTE - 1)
    calls = [await new_call(database, tenant) for _ in range(40)]
    outcomes = await asyncio.gather(
        *(reserve(database, tenant, call_id) for call_id in calls), return_exceptions=True
    )
    won = [call_id for call_id, outcome in zip(calls, outcomes, strict=True) if outcome is None]
    assert len(won) == 7
    assert all(isinstance(o, InsufficientCredits) for o in outcomes if o is not None)
    await assert_books_balance(database, tenant)

    await asyncio.gather(*(settle(database, tenant, call_id, 30) for call_id in won))
    assert await totals(database, tenant) == (HALF_MINUTE - 1, 0, 0)
    await assert_books_balance(database, tenant)


async def test_simultaneous_reserves_extensions_and_settlements_keep_the_books(
    database: Database, tenant: UUID
) -> None:
    await give(database, tenant, 300_000)
    await give(database, tenant, 300_000, "purchased")

    async def one_call(increments: int) -> None:
        call_id = await new_call(database, tenant)
        try:
            await reserve(database, tenant, call_id)
        except InsufficientCredits:
            return
        reserved = 1
        while reserved < increments:
            async with database.tenant_session(tenant) as session:
                wanted = (reserved + 1) * 30
                if await service.extend(session, tenant, call_id, wanted, RATE) != wanted:
                    break
            reserved += 1
        await settle(database, tenant, call_id, reserved * 30)

    await asyncio.gather(*(one_call(1 + n % 5) for n in range(30)))
    free, purchased, held = await totals(database, tenant)
    assert free >= 0
    assert purchased >= 0, "reserved calls never spend what is not there"
    assert held == 0
    await assert_books_balance(database, tenant)


@pytest.mark.parametrize(
    "change",
    ["UPDATE ledger_entries SET free_micros = 0", "DELETE FROM ledger_entries"],
)
async def test_ledger_entries_never_change(database: Database, tenant: UUID, change: str) -> None:
    await give(database, tenant, 1_000)
    for session_of in (database.system_session(), database.tenant_session(tenant)):
        with pytest.raises(DBAPIError):
            async with session_of as session:
                await session.execute(text(change))
    assert (await totals(database, tenant))[0] == 1_000


async def test_the_same_reference_is_posted_once(database: Database, tenant: UUID) -> None:
    async with database.system_session() as session:
        await service.grant(session, tenant, 500, "Welcome", reference="welcome")
    with pytest.raises(DBAPIError):
        async with database.system_session() as session:
            await service.grant(session, tenant, 500, "Welcome", reference="welcome")
    assert await totals(database, tenant) == (500, 0, 0)
    await assert_books_balance(database, tenant)


async def test_an_account_that_does_not_match_its_entries_is_found(
    database: Database, tenant: UUID
) -> None:
    await give(database, tenant, 1_000_000)
    call_id = await new_call(database, tenant)
    await reserve(database, tenant, call_id)
    async with database.system_session() as session:
        assert await audit_repository.unbalanced_accounts(session) == []
    for column in ("free_micros", "purchased_micros", "held_micros"):
        await change_books(database, f"UPDATE billing_accounts SET {column} = {column} + 1")
        async with database.system_session() as session:
            unbalanced = await audit_repository.unbalanced_accounts(session)
            assert [each for each, _ in unbalanced] == [tenant]
        await change_books(database, f"UPDATE billing_accounts SET {column} = {column} - 1")
