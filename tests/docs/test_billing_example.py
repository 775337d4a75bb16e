"""Every figure of the example in docs/billing.md, posted to a real ledger."""

from __future__ import annotations

import re
from collections.abc import AsyncIterator
from datetime import date
from decimal import Decimal
from pathlib import Path
from uuid import UUID

import pytest
from sqlalchemy import text

from contracts.money import MICROS_PER_USD, PLATFORM_FEE_MICROS_PER_MINUTE, billable_seconds
from control_plane.money.billing import credit, service
from control_plane.money.billing.buckets import Buckets
from control_plane.money.billing.tariff import Tariff
from control_plane.money.plans.month import begins_at
from control_plane.money.plans.monthly_credit import begin_month
from control_plane.platform.database import Database
from tests.control_plane.money.billing.books import (
    assert_books_balance,
    buckets_of,
    new_call,
    new_tenant,
)

PAGE = (Path(__file__).parents[2] / "docs" / "billing.md").read_text()
EXAMPLE = PAGE.partition("### An example")[2].partition("## Follow an amount")[0]
ROW = re.compile(r"^\| ([a-z].*?) \| (\S+) \| (\S+) \| (\S+) \| (\S+) \|$", re.MULTILINE)
ROWS = ROW.findall(EXAMPLE)[1:]


def micros(amount: str) -> int:
    return int(Decimal(amount) * MICROS_PER_USD)


def dollars(pattern: str) -> list[int]:
    found = re.search(pattern, " ".join(EXAMPLE.split()))
    assert found, pattern
    return [micros(amount) for amount in found.groups()]


MODELS = dollars(r"models cost \$([\d.]+), \$([\d.]+) and \$([\d.]+) a minute")
[RATE] = dollars(r"that is \$([\d.]+) a minute")
[MONTHLY] = dollars(r"includes \$([\d.]+) a month")


@pytest.fixture
async def database(postgres_url: str) -> AsyncIterator[Database]:
    database = Database(postgres_url, deadline_seconds=30)
    yield database
    await database.aclose()


async def happen(database: Database, tenant: UUID, what: str) -> None:
    amounts = [micros(amount) for amount in re.findall(r"\$([\d.]+)", what)]
    async with database.system_session() as session:
        match what.split()[0]:
            case "free":
                await service.grant(session, tenant, amounts[0], what)
            case "month":
                month = date.fromisoformat(f"{what.split()[1]}-01")
                assert await begin_month(
                    session, tenant, month, invoice_prefix="EXAMPLE", now=begins_at(month)
                )
            case "top-up":
                await credit.post_topup(
                    session,
                    tenant,
                    amounts[0],
                    what,
                    reference=what,
                    bonus_micros=amounts[1],
                    details={},
                )
            case "refund":
                await credit.post_refund(
                    session, tenant, amounts[0], what, reference=what, details={}
                )
            case "dispute":
                await credit.post_dispute(
                    session, tenant, amounts[0], what, reference=what, details={}
                )
            case "call":
                seconds = billable_seconds(int(what.split()[2]) * 1000)
                call_id = await new_call(database, tenant)
                await service.reserve(session, tenant, call_id, 30, RATE)
                await session.flush()
                await service.settle(session, tenant, call_id, seconds, Tariff.flat(RATE), {})
            case other:
                raise AssertionError(f"nothing is known of {other!r}")


def test_the_rate_is_the_sum_of_its_parts() -> None:
    assert sum(MODELS) + PLATFORM_FEE_MICROS_PER_MINUTE == RATE


def test_the_sentences_below_the_table_are_right() -> None:
    [first] = dollars(r"2\.5 minutes at \$0\.0453 are \$([\d.]+)\.")
    assert first == Tariff.flat(RATE).charge_micros(150)
    assert billable_seconds(125_000) == 150
    assert billable_seconds(361_000) == 390
    [third, from_free, from_topup] = dollars(
        r"billed 390 s, so \$([\d.]+): \$([\d.]+) from the free credit and \$([\d.]+) from"
    )
    assert third == Tariff.flat(RATE).charge_micros(390) == from_free + from_topup


async def test_every_row_of_the_example_adds_up(database: Database) -> None:
    await post_the_example(database)
    await assert_books_balance(database)


async def post_the_example(database: Database) -> UUID:
    """Let each row of the example happen to a new tenant, and compare its buckets."""
    tenant = await new_tenant(database)
    async with database.system_session() as session:
        await session.execute(
            text(
                "INSERT INTO plans (id, display_name, monthly_credit_micros, byok_allowed)"
                " VALUES ('example', 'Example', :micros, true)"
            ),
            {"micros": MONTHLY},
        )
        await session.execute(
            text("UPDATE tenants SET plan_id = 'example' WHERE id = :id"), {"id": tenant}
        )
    assert len(ROWS) == 10
    for what, plan, free, purchased, total in ROWS:
        await happen(database, tenant, what)
        found = await buckets_of(database, tenant)
        assert found == Buckets(micros(free), micros(purchased), micros(plan)), what
        assert found.total_micros == micros(total), what
    return tenant
