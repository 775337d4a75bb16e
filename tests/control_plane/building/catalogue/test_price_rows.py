"""What a plan freezes of the catalogue's prices, and what the rate comes to."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from uuid import UUID, uuid4

import pytest
from sqlalchemy import insert

from contracts.call_plan import PriceRow, ProviderChoice, ResolvedChannel, ResolvedStack
from contracts.money import PLATFORM_FEE_MICROS_PER_MINUTE
from control_plane.building.catalogue.data_file import read_catalogue
from control_plane.building.catalogue.models import PriceRecord
from control_plane.building.catalogue.prices import NO_CHARGE, price_id
from control_plane.building.catalogue.stack_prices import PriceMissing
from control_plane.platform.database import Database
from tests.control_plane.building.catalogue.costs import price_rows

LOCAL = {
    "stt": ProviderChoice(provider="local", model="moonshine-tiny-en"),
    "llm": ProviderChoice(provider="local", model="playbook"),
    "tts": ProviderChoice(provider="local", model="hibari-en", voice="hibari"),
}
START = datetime(2026, 1, 1, tzinfo=UTC)


def stack(**choices: ProviderChoice) -> ResolvedStack:
    """The offline stack, with other primaries where they are given."""
    channels = {name: ResolvedChannel(primary=choice) for name, choice in (LOCAL | choices).items()}
    return ResolvedStack(**channels)


def realtime(choice: ProviderChoice) -> ResolvedStack:
    channel = ResolvedChannel(primary=choice)
    return ResolvedStack(mode="realtime", stt=channel, llm=channel, tts=channel)


def file_price(component: str, model: str) -> int:
    """The newest."""
    prices = [
        price
        for entry in read_catalogue().models
        if entry.model == model
        for price in entry.prices
        if price.component == component
    ]
    return max(prices, key=lambda price: price.valid_from).micros_per_minute


async def priced(
    database: Database,
    wanted: ResolvedStack,
    sku_id: str | None = None,
    at: datetime | None = None,
) -> dict[str, PriceRow]:
    async with database.system_session() as session:
        rows = await price_rows(session, wanted, sku_id, at=at)
    assert len({row.component for row in rows}) == len(rows)
    return {row.component: row for row in rows}


def rate(rows: dict[str, PriceRow]) -> int:
    """As ``CallPlan.rate_micros_per_minute`` adds them up."""
    return sum(row.micros_per_minute for row in rows.values())


async def test_a_custom_agent_costs_its_models_and_the_platform_fee(database: Database) -> None:
    rows = await priced(database, stack())
    assert {component: row.model for component, row in rows.items()} == {
        "stt": "moonshine-tiny-en",
        "llm": "playbook",
        "tts": "hibari-en",
        "platform": "platform",
    }
    assert rows["platform"].micros_per_minute == PLATFORM_FEE_MICROS_PER_MINUTE
    models = sum(file_price(channel, choice.model) for channel, choice in LOCAL.items())
    assert rate(rows) == models + PLATFORM_FEE_MICROS_PER_MINUTE


async def test_a_channel_on_an_own_key_costs_nothing_and_says_why(database: Database) -> None:
    own = ProviderChoice(provider="openai", model="gpt-4o", key_source="own")
    listener = ProviderChoice(provider="deepgram", model="nova-3")
    rows = await priced(database, stack(stt=listener, llm=own))
    assert rows["llm"] == PriceRow(
        price_id=price_id("llm", NO_CHARGE, START),
        component="llm",
        provider="openai",
        model="gpt-4o",
        micros_per_minute=0,
    )
    assert rows["stt"].micros_per_minute > 0
    assert rows["platform"].micros_per_minute == PLATFORM_FEE_MICROS_PER_MINUTE


async def test_the_same_model_on_the_platforms_key_costs_its_price(database: Database) -> None:
    rows = await priced(database, stack(llm=ProviderChoice(provider="openai", model="gpt-4o")))
    assert rows["llm"].micros_per_minute == file_price("llm", "gpt-4o")


async def test_with_own_keys_on_every_channel_the_fee_remains(database: Database) -> None:
    own = {
        "stt": ProviderChoice(provider="deepgram", model="nova-3", key_source="own"),
        "llm": ProviderChoice(provider="custom", model="ours-7b", key_source="own"),
        "tts": ProviderChoice(provider="cartesia", model="sonic-3", key_source="own"),
    }
    rows = await priced(database, stack(**own))
    assert set(rows) == {"stt", "llm", "tts", "platform"}
    assert rate(rows) == PLATFORM_FEE_MICROS_PER_MINUTE


async def test_a_realtime_model_is_one_row_and_the_fee(database: Database) -> None:
    rows = await priced(database, realtime(ProviderChoice(provider="openai", model="gpt-realtime")))
    assert set(rows) == {"llm", "platform"}
    assert rows["llm"].micros_per_minute == file_price("llm", "gpt-realtime")


async def test_a_realtime_model_on_an_own_key_costs_the_fee(database: Database) -> None:
    own = ProviderChoice(provider="openai", model="gpt-realtime", key_source="own")
    assert rate(await priced(database, realtime(own))) == PLATFORM_FEE_MICROS_PER_MINUTE


async def test_a_managed_agent_costs_its_sku_and_no_fee(database: Database) -> None:
    rows = await priced(database, stack(), "offline-english")
    [sku] = [sku for sku in read_catalogue().skus if sku.id == "offline-english"]
    assert set(rows) == {"managed_sku"}
    assert (rows["managed_sku"].provider, rows["managed_sku"].model) == (
        "switchboard",
        "offline-english",
    )
    assert rate(rows) == sku.prices[0].micros_per_minute


async def test_a_managed_sku_without_a_price_costs_nothing_and_says_why(
    database: Database,
) -> None:
    rows = await priced(database, stack(), "priceless")
    assert rows["managed_sku"].price_id == price_id("managed_sku", NO_CHARGE, START)
    assert rate(rows) == 0


async def test_a_price_holds_until_the_next_one_begins(database: Database) -> None:
    tomorrow = datetime.now(UTC) + timedelta(days=1)
    later: UUID = uuid4()
    async with database.system_session() as session:
        await session.execute(
            insert(PriceRecord).values(
                id=later,
                component="llm",
                provider="local",
                model="playbook",
                micros_per_minute=77,
                valid_from=tomorrow,
            )
        )

    async def price_at(moment: datetime | None) -> int:
        return (await priced(database, stack(), at=moment))["llm"].micros_per_minute

    old = file_price("llm", "playbook")
    assert await price_at(None) == old
    assert await price_at(tomorrow - timedelta(seconds=1)) == old
    assert await price_at(tomorrow) == 77
    assert (await priced(database, stack(), at=tomorrow))["llm"].price_id == later


async def test_there_is_no_price_before_the_first(database: Database) -> None:
    async with database.system_session() as session:
        with pytest.raises(PriceMissing, match="local/moonshine-tiny-en"):
            await price_rows(session, stack(), at=datetime(2000, 1, 1, tzinfo=UTC))
