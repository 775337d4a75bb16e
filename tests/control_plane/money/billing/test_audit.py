"""The audit finds every entry that was lost or forged, however old its day is."""

from __future__ import annotations

from collections.abc import AsyncIterator
from datetime import UTC, date, datetime, timedelta
from uuid import UUID, uuid4

import pytest
from sqlalchemy import text

from control_plane.money.billing import service
from control_plane.money.billing.audits.audit import Difference, audit_books
from control_plane.money.billing.audits.repository import Figure
from control_plane.platform.database import Database

DAYS = 6
CHARGE_MICROS = 1_000
TODAY = datetime.now(UTC).date()
_CHARGE = """
    INSERT INTO ledger_entries (id, tenant_id, reference, transaction_type, free_micros,
        purchased_micros, amount_seconds, description, created_at)
    VALUES (gen_random_uuid(), :tenant_id, :reference, 'charge', :micros, 0, -30, 'Call', :at)
"""


@pytest.fixture
async def database(postgres_url: str) -> AsyncIterator[Database]:
    database = Database(postgres_url, deadline_seconds=30)
    yield database
    await database.aclose()


@pytest.fixture
async def tenants(database: Database) -> list[UUID]:
    """Two, each with credit and with two charges on each of the last days."""
    tenants = [uuid4() for _ in range(2)]
    async with database.system_session() as session:
        for tenant_id in tenants:
            await session.execute(
                text("INSERT INTO tenants (id, name) VALUES (:id, 'Books')"), {"id": tenant_id}
            )
            await service.grant(session, tenant_id, 1_000_000, "Credit")
            for days in range(DAYS):
                for number in range(2):
                    await session.execute(text(_CHARGE), charge(tenant_id, days, number))
    return tenants


def charge(tenant_id: UUID, days_ago: int, number: int) -> dict[str, object]:
    return {
        "tenant_id": tenant_id,
        "reference": f"call:{days_ago}:{number}",
        "micros": -CHARGE_MICROS,
        "at": noon(day(days_ago)),
    }


def day(days_ago: int) -> date:
    return TODAY - timedelta(days=days_ago)


def noon(of: date) -> datetime:
    return datetime(of.year, of.month, of.day, 12, tzinfo=UTC)


async def tamper(database: Database, statement: str, **values: object) -> None:
    """As the owner of the tables, with their triggers off."""
    async with database.system_session() as session:
        await session.execute(text("RESET ROLE"))
        await session.execute(text("ALTER TABLE ledger_entries DISABLE TRIGGER USER"))
        await session.execute(text("ALTER TABLE ledger_entries NO FORCE ROW LEVEL SECURITY"))
        await session.execute(text(statement), values)
        await session.execute(text("ALTER TABLE ledger_entries FORCE ROW LEVEL SECURITY"))
        await session.execute(text("ALTER TABLE ledger_entries ENABLE TRIGGER USER"))


async def found_in(database: Database, audits: int) -> list[list[tuple[UUID, date | None]]]:
    """What so many audits find that have time for one older day each."""
    found = []
    for _ in range(audits):
        ticks = iter(range(100))
        differences = await audit_books(database, seconds=3, clock=lambda: next(ticks))  # noqa: B023
        found.append([(each.tenant_id, each.day) for each in differences])
    return found


async def test_sound_books_have_no_differences(database: Database, tenants: list[UUID]) -> None:
    assert tenants
    assert await found_in(database, DAYS) == [[]] * DAYS


@pytest.mark.parametrize("days_ago", range(DAYS))
async def test_a_lost_entry_is_found_within_one_turn_through_all_days(
    database: Database, tenants: list[UUID], days_ago: int
) -> None:
    await tamper(
        database,
        "DELETE FROM ledger_entries WHERE tenant_id = :tenant_id AND reference = :reference",
        tenant_id=tenants[0],
        reference=f"call:{days_ago}:0",
    )
    differences = (tenants[0], day(days_ago))
    found = await found_in(database, DAYS - 2)
    assert [differences] in found
    first = found.index([differences])
    assert found[first:] == [[differences]] * (DAYS - 2 - first), "and each time from then on"
    if days_ago < 2:
        assert first == 0, "the newest days are always audited"


@pytest.mark.parametrize(
    ("at", "reported"),
    [
        (noon(day(3)), day(3)),
        (noon(day(DAYS + 400)), day(DAYS - 1)),
        (noon(day(-400)), day(0)),
    ],
)
async def test_a_forged_entry_is_found_also_at_a_time_that_has_no_others(
    database: Database, tenants: list[UUID], at: datetime, reported: date
) -> None:
    await tamper(
        database,
        _CHARGE,
        tenant_id=tenants[1],
        reference="forged",
        micros=CHARGE_MICROS,
        at=at,
    )
    found = await found_in(database, DAYS - 2)
    assert [(tenants[1], reported)] in found


async def test_an_entry_whose_amount_was_moved_to_another_bucket_is_found(
    database: Database, tenants: list[UUID]
) -> None:
    await tamper(
        database,
        "UPDATE ledger_entries SET purchased_micros = free_micros, free_micros = 0"
        " WHERE tenant_id = :tenant_id AND reference = 'call:4:1'",
        tenant_id=tenants[0],
    )
    assert [(tenants[0], day(4))] in await found_in(database, DAYS - 2)


async def test_a_difference_names_each_figure_that_is_wrong_as_kept_and_as_counted(
    database: Database, tenants: list[UUID]
) -> None:
    await tamper(
        database,
        "DELETE FROM ledger_entries WHERE tenant_id = :tenant_id AND reference = 'call:1:0'",
        tenant_id=tenants[0],
    )
    kept, counted = -2 * CHARGE_MICROS, -CHARGE_MICROS
    assert await audit_books(database) == [
        Difference(
            tenants[0],
            day(1),
            (
                Figure("entries", 2, 1),
                Figure("free credit", kept, counted),
                Figure("charges", -kept, -counted),
                Figure("balance against its counter accounts", kept, counted),
            ),
        )
    ]


async def test_two_forged_entries_that_cancel_each_other_out_are_found(
    database: Database, tenants: list[UUID]
) -> None:
    for sign in (1, -1):
        await tamper(
            database,
            _CHARGE,
            tenant_id=tenants[0],
            reference=f"forged:{sign}",
            micros=sign * CHARGE_MICROS,
            at=noon(day(5)),
        )
    assert [(tenants[0], day(5))] in await found_in(database, DAYS - 2)


async def test_a_day_whose_totals_were_lost_is_found_at_once(
    database: Database, tenants: list[UUID]
) -> None:
    async with database.system_session() as session:
        await session.execute(text("RESET ROLE"))
        await session.execute(
            text("DELETE FROM ledger_days WHERE tenant_id = :id AND day = :day"),
            {"id": tenants[0], "day": day(3)},
        )
    [found] = await found_in(database, 1)
    assert (tenants[0], None) in found
    assert [(tenants[0], day(3))] in [
        [each for each in found if each[1]] for found in await found_in(database, DAYS)
    ]
