"""Many numbers are priced at once."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

from control_plane.calling.dialing.models import INBOUND, OUTBOUND
from control_plane.calling.telecom.models import TelecomPrice
from control_plane.calling.telecom.price_list import PriceList
from control_plane.platform.database import Database
from tests.control_plane.sent_statements import statements

NOW = datetime(2026, 11, 28, tzinfo=UTC)
AMERICAN = [f"+1415555{number:04}" for number in range(100)]


def row(
    provider: str, prefix: str, micros: int, valid_from: datetime = NOW, direction: str = OUTBOUND
) -> TelecomPrice:
    return TelecomPrice(
        provider=provider,
        direction=direction,
        prefix=prefix,
        micros_per_minute=micros,
        valid_from=valid_from,
    )


async def test_each_number_has_the_newest_price_of_its_longest_prefix(database: Database) -> None:
    day = timedelta(days=1)
    async with database.system_session() as session:
        session.add_all(
            [
                row("twilio", "+", 9),
                row("twilio", "+1415", 1, NOW - 2 * day),
                row("twilio", "+1415", 2, NOW - day),
                row("twilio", "+1415", 3, NOW + day),
                row("twilio", "+1415555", 4, direction=INBOUND),
                row("telnyx", "+49", 5),
            ]
        )
    asked = [*AMERICAN, "+4930123456"]
    async with database.system_session() as session:
        prices = PriceList(session, asked, NOW)
        found = {
            (carrier, number): await prices.price_of(carrier, number)
            for carrier in ("twilio", "telnyx")
            for number in asked
        }
    micros = {key: price and price.micros_per_minute for key, price in found.items()}
    assert {micros["twilio", number] for number in AMERICAN} == {2}
    assert micros["twilio", "+4930123456"] == 9
    assert {micros["telnyx", number] for number in AMERICAN} == {None}
    assert micros["telnyx", "+4930123456"] == 5


async def test_there_is_one_query_for_each_carrier(database: Database) -> None:
    async with database.system_session() as session:
        prices = PriceList(session, AMERICAN, NOW)
        with statements(database) as sent:
            for number in AMERICAN:
                await prices.price_of("twilio", number)
                await prices.price_of("telnyx", number)
    assert len(sent) == 2
