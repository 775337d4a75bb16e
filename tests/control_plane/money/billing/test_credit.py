"""What payments post: each once per reference, all into the purchased bucket."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from typing import Any
from uuid import UUID

import pytest
from psycopg.errors import InsufficientPrivilege
from sqlalchemy.exc import ProgrammingError

from control_plane.money.billing import credit, repository
from control_plane.money.billing.buckets import Buckets
from control_plane.money.billing.posting import Posted, ReferenceTaken
from control_plane.platform.database import Database
from tests.control_plane.money.billing.books import assert_books_balance, buckets_of, new_tenant

TAKING: tuple[Callable[..., Awaitable[Posted]], ...] = (credit.post_refund, credit.post_dispute)


async def top_up(
    books: Database, tenant: UUID, micros: int, *, bonus: int = 0, reference: str = "pay_1"
) -> credit.PostedTopUp:
    async with books.system_session() as session:
        return await credit.post_topup(
            session,
            tenant,
            micros,
            "Top-up",
            reference=reference,
            bonus_micros=bonus,
            details={"gateway": "stripe"},
        )


async def entries(books: Database, tenant: UUID) -> list[tuple[str, int, dict[str, Any]]]:
    """Oldest first: type, micro-dollars and metadata."""
    async with books.tenant_session(tenant) as session:
        found = await repository.transactions(session, tenant, 50, None, None)
    return [(each.transaction_type, each.amount_micros, each.details) for each in reversed(found)]


async def test_a_top_up_and_its_bonus_are_two_entries_in_the_purchased_bucket(
    books: Database, account: UUID
) -> None:
    posted = await top_up(books, account, 10_000_000, bonus=500_000)
    assert posted.topup.is_new
    assert posted.bonus is not None
    assert await buckets_of(books, account) == Buckets(0, 10_500_000)
    assert await entries(books, account) == [
        ("topup", 10_000_000, {"gateway": "stripe"}),
        ("bonus", 500_000, {"gateway": "stripe", "topup_id": str(posted.topup.entry.id)}),
    ]
    await assert_books_balance(books)


async def test_a_payment_that_is_posted_by_many_at_once_counts_once(
    books: Database, account: UUID
) -> None:
    posted = await asyncio.gather(
        *(top_up(books, account, 10_000_000, bonus=500_000) for _ in range(8))
    )
    assert sum(each.topup.is_new for each in posted) == 1
    assert len({each.topup.entry.id for each in posted}) == 1
    assert await buckets_of(books, account) == Buckets(0, 10_500_000)


async def test_a_payment_that_was_posted_with_another_amount_is_refused(
    books: Database, account: UUID
) -> None:
    first = await top_up(books, account, 10_000_000)
    with pytest.raises(ReferenceTaken) as refused:
        await top_up(books, account, 20_000_000)
    assert refused.value.entry_id == first.topup.entry.id
    assert await buckets_of(books, account) == Buckets(0, 10_000_000)


async def test_two_tenants_may_have_the_same_reference(books: Database, account: UUID) -> None:
    other = await new_tenant(books)
    await top_up(books, account, 1_000_000)
    await top_up(books, other, 2_000_000)
    assert await buckets_of(books, other) == Buckets(0, 2_000_000)


@pytest.mark.parametrize("post", TAKING)
async def test_a_refund_or_dispute_may_take_the_balance_below_zero_and_counts_once(
    books: Database, account: UUID, post: Callable[..., Awaitable[Posted]]
) -> None:
    await top_up(books, account, 1_000_000)
    for is_new in (True, False):
        async with books.system_session() as session:
            posted = await post(
                session, account, 3_000_000, "Taken back", reference="re_1", details={}
            )
        assert posted.is_new is is_new
    assert await buckets_of(books, account) == Buckets(0, -2_000_000)
    await assert_books_balance(books)


async def test_a_dispute_that_is_won_gives_back_what_it_took(
    books: Database, account: UUID
) -> None:
    async with books.system_session() as session:
        for post in (credit.post_dispute, credit.post_dispute_won, credit.post_dispute_won):
            await post(session, account, 700_000, "Dispute", reference="dp_1", details={})
    assert [(kind, micros) for kind, micros, _ in await entries(books, account)] == [
        ("dispute", -700_000),
        ("dispute", 700_000),
    ]


@pytest.mark.parametrize("micros", [0, -1])
async def test_an_amount_that_is_not_above_zero_is_refused(
    books: Database, account: UUID, micros: int
) -> None:
    for post in (*TAKING, credit.post_dispute_won, credit.post_topup):
        with pytest.raises(ValueError, match="above 0"):
            async with books.system_session() as session:
                await post(session, account, micros, "Nothing", reference="x", details={})


async def test_a_request_cannot_post_a_top_up(books: Database, account: UUID) -> None:
    with pytest.raises(ProgrammingError) as refused:
        async with books.tenant_session(account) as session:
            await credit.post_topup(
                session, account, 1_000_000, "Forged", reference="pay_2", details={}
            )
    assert isinstance(refused.value.orig, InsufficientPrivilege)
