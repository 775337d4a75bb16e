"""The audit of payments reads the newest days each time and the others in turns, so that its time
does not grow with the payments."""

from __future__ import annotations

import math
from datetime import UTC, date, datetime, timedelta
from uuid import UUID

import pytest
from sqlalchemy import text

from control_plane.money.payments.auditing.audit import audit_payments
from control_plane.money.payments.gateways.gateway import Captured
from control_plane.money.payments.settling import settle
from tests.control_plane.money.payments.paying import Payer

DAYS = 6
TODAY = datetime.now(UTC).date()
_ENTRY = """
    INSERT INTO ledger_entries (id, tenant_id, reference, transaction_type, free_micros,
        purchased_micros, amount_seconds, description, created_at)
    VALUES (gen_random_uuid(), :tenant_id, :reference, :transaction_type, 0, 7, 0, 'Entry', :at)
"""


def noon(days_ago: int) -> datetime:
    day = TODAY - timedelta(days=days_ago)
    return datetime(day.year, day.month, day.day, 12, tzinfo=UTC)


async def posts(payer: Payer, reference: str, transaction_type: str, days_ago: int) -> None:
    async with payer.database.system_session() as session:
        await session.execute(
            text(_ENTRY),
            {
                "tenant_id": payer.tenant_id,
                "reference": reference,
                "transaction_type": transaction_type,
                "at": noon(days_ago),
            },
        )


@pytest.fixture
async def old_payer(payer: Payer) -> Payer:
    """It has an entry on each of the last days, and has paid on the oldest of them."""
    for days_ago in range(DAYS):
        await posts(payer, f"gift:{days_ago}", "grant", days_ago)
    begun = await payer.begin(20)
    async with payer.database.system_session() as session:
        captured = Captured("pi_old", 2000, "USD")
        payment_id = UUID(begun["payment_id"])
        await settle(session, payer.settings, payment_id, captured, noon(DAYS - 1))
    return payer


async def forge(payer: Payer, statement: str) -> None:
    async with payer.database.system_session() as session:
        await session.execute(text(statement))


async def found_by(payer: Payer, audits: int) -> list[list[str]]:
    """What so many audits find that have time for one older day each."""
    found = []
    for _ in range(audits):
        ticks = iter(range(100))
        differences = await audit_payments(payer.database, seconds=3, clock=ticks.__next__)
        found.append([each.what for each in differences])
    return found


async def audited_days(payer: Payer) -> list[date]:
    async with payer.database.system_session() as session:
        return list(await session.scalars(text("SELECT day FROM payment_audits ORDER BY day DESC")))


async def test_sound_books_have_no_difference_on_any_day(old_payer: Payer) -> None:
    assert await found_by(old_payer, DAYS) == [[]] * DAYS


async def test_an_audit_reads_as_many_days_as_it_has_time_for(old_payer: Payer) -> None:
    days = [TODAY - timedelta(days=days_ago) for days_ago in range(DAYS)]
    await found_by(old_payer, 1)
    assert await audited_days(old_payer) == [*days[:2], days[-1]]
    await found_by(old_payer, DAYS - 3)
    assert await audited_days(old_payer) == days


async def test_an_audit_without_a_limit_reads_all_days(old_payer: Payer) -> None:
    await posts(old_payer, "topup:stripe:pi_forged", "topup", 3)
    [difference] = await audit_payments(old_payer.database, seconds=math.inf)
    assert "topup:stripe:pi_forged" in difference.what
    assert len(await audited_days(old_payer)) == DAYS


@pytest.mark.parametrize("days_ago", range(DAYS))
async def test_a_forged_entry_is_found_within_one_turn_through_all_days(
    old_payer: Payer, days_ago: int
) -> None:
    await posts(old_payer, "topup:stripe:pi_forged", "topup", days_ago)
    found = await found_by(old_payer, DAYS - 2)
    [what] = next(each for each in found if each)
    assert "topup:stripe:pi_forged is $0.000007" in what
    first = found.index([what])
    assert found[first:] == [[what]] * (DAYS - 2 - first), "and each time from then on"
    if days_ago < 2:
        assert first == 0, "the newest days are always audited"


@pytest.mark.parametrize("days_ago", [2, DAYS + 400, -400])
async def test_a_payment_is_found_also_at_a_time_that_has_no_entries(
    old_payer: Payer, days_ago: int
) -> None:
    when = noon(days_ago).isoformat()
    await forge(
        old_payer,
        f"UPDATE payments SET bonus_micros = 7, resolved_at = '{when}' WHERE state = 'succeeded'",
    )
    found = await found_by(old_payer, DAYS - 2)
    assert any("is $0.000007, and its entry is missing" in each for [each] in filter(None, found))


async def test_a_payment_without_a_time_is_found(old_payer: Payer) -> None:
    await forge(
        old_payer,
        "UPDATE payments SET bonus_micros = 7, resolved_at = NULL WHERE state = 'succeeded'",
    )
    [[what]] = await found_by(old_payer, 1)
    assert "is $0.000007, and its entry is missing" in what


@pytest.mark.parametrize(
    ("forgery", "found"),
    [
        (
            "UPDATE invoices SET status = 'voided', voided_at = now()",
            "is 2000 minor units of USD, and the sum of its credit notes is 0",
        ),
        (
            "INSERT INTO payment_reversals (gateway, gateway_id, tenant_id, payment_id, kind,"
            " amount_minor, credit_micros) SELECT 'stripe', 're_1', tenant_id, id, 'refund', 300, 0"
            " FROM payments",
            "is 300 minor units of USD, and the sum of its credit notes is 0",
        ),
        (
            "INSERT INTO payment_reversals (gateway, gateway_id, tenant_id, payment_id, kind,"
            " amount_minor, credit_micros, created_at, returned_at) SELECT 'stripe', 'du_1',"
            " tenant_id, id, 'dispute', 300, 3, resolved_at, now() FROM payments",
            "what came back of du_1 is $0.000003, and its entry is missing",
        ),
    ],
)
async def test_what_happens_to_an_old_payment_today_is_found_at_once(
    old_payer: Payer, forgery: str, found: str
) -> None:
    """The next older day is another one than its own, which has just had its turn again."""
    assert await found_by(old_payer, DAYS - 1) == [[]] * (DAYS - 1)
    await forge(old_payer, forgery)
    [differences] = await found_by(old_payer, 1)
    assert len(differences) == 1
    assert found in differences[0]


async def test_what_was_changed_on_an_old_day_waits_for_its_turn(old_payer: Payer) -> None:
    assert await found_by(old_payer, 1) == [[]]
    await forge(old_payer, "UPDATE payments SET bonus_micros = 7 WHERE state = 'succeeded'")
    found = await found_by(old_payer, DAYS - 2)
    assert [bool(each) for each in found] == [False] * (DAYS - 3) + [True]
