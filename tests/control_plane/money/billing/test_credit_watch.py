"""A job says that available credit fell below an amount, if and only if it did."""

from __future__ import annotations

from uuid import UUID

import pytest
from sqlalchemy import text

from control_plane.money.billing import credit, service
from control_plane.money.billing.credit_watch import (
    CREDIT_FELL,
    watch_available_credit,
)
from control_plane.money.billing.repository import tenants_below_watch
from control_plane.platform.database import Database
from tests.control_plane.money.billing.books import (
    HALF_MINUTE,
    extend,
    new_call,
    reserve,
    settle,
)
from tests.control_plane.owned_books import change_books

CREDIT = 200_000


class Undone(Exception):
    """Rolls a transaction back."""


@pytest.fixture
async def watched(books: Database, account: UUID) -> UUID:
    """A tenant with ``CREDIT``, of which at least all but one half minute is to be available."""
    # The job belongs to a domain above this one, which allows it.
    await change_books(
        books,
        "INSERT INTO job_names (name, by_requests) VALUES (:name, true) ON CONFLICT DO NOTHING",
        name=CREDIT_FELL,
    )
    async with books.system_session() as session:
        await service.grant(session, account, CREDIT, "Credit")
        assert not await watch_available_credit(session, account, CREDIT - HALF_MINUTE)
    return account


async def told(books: Database) -> list[str]:
    """The tenants of the jobs that were added."""
    async with books.system_session() as session:
        rows = await session.scalars(
            text(
                "SELECT args ->> 'tenant_id' FROM procrastinate_jobs"
                " WHERE task_name = :name AND queue_name = 'patient' ORDER BY id"
            ),
            {"name": CREDIT_FELL},
        )
        return list(rows)


async def test_the_first_hold_that_crosses_the_amount_tells(books: Database, watched: UUID) -> None:
    calls = [await new_call(books, watched) for _ in range(3)]
    await reserve(books, watched, calls[0])
    assert await told(books) == [], "it is at the amount, not below"
    await reserve(books, watched, calls[1])
    assert await told(books) == [str(watched)]
    await reserve(books, watched, calls[2])
    assert await told(books) == [str(watched)], "it was below before"


async def test_an_extension_tells(books: Database, watched: UUID) -> None:
    call_id = await new_call(books, watched)
    await reserve(books, watched, call_id)
    await extend(books, watched, call_id, 60)
    assert await told(books) == [str(watched)]


async def test_a_charge_of_what_was_held_tells_nothing(books: Database, watched: UUID) -> None:
    call_id = await new_call(books, watched)
    await reserve(books, watched, call_id)
    await settle(books, watched, call_id, 30)
    assert await told(books) == [], "available credit was the same before and after"


async def test_a_charge_beyond_the_hold_a_debit_and_a_refund_tell(
    books: Database, watched: UUID
) -> None:
    call_id = await new_call(books, watched)
    await reserve(books, watched, call_id)
    await settle(books, watched, call_id, 60)
    assert len(await told(books)) == 1
    async with books.system_session() as session:
        await service.grant(session, watched, HALF_MINUTE, "Up again")
        await service.adjust(session, watched, "debit", -1, "Debit", reference="debit", details={})
    assert len(await told(books)) == 2
    async with books.system_session() as session:
        await service.grant(session, watched, 1, "Up again")
        await credit.post_refund(session, watched, 1, "Refund", reference="refund", details={})
    assert len(await told(books)) == 3


async def test_what_is_rolled_back_was_not_told(books: Database, watched: UUID) -> None:
    async def change_of_mind() -> None:
        async with books.system_session() as session:
            await credit.post_dispute(
                session, watched, CREDIT, "Dispute", reference="dp", details={}
            )
            raise Undone

    with pytest.raises(Undone):
        await change_of_mind()
    assert await told(books) == []


async def test_setting_the_amount_says_whether_credit_is_below_and_finds_it_again(
    books: Database, watched: UUID
) -> None:
    async with books.system_session() as session:
        assert await tenants_below_watch(session, 10) == []
        assert await watch_available_credit(session, watched, CREDIT + 1)
        assert await tenants_below_watch(session, 10) == [watched]
        assert not await watch_available_credit(session, watched, None)
        assert await tenants_below_watch(session, 10) == []
    assert await told(books) == []
