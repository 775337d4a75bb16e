"""What providers bill by: which units are possible, and what a plan freezes of them."""

from __future__ import annotations

import json
from datetime import UTC, datetime, timedelta
from typing import Any, get_args

import pytest
from pydantic import ValidationError
from sqlalchemy import create_engine, select, text
from sqlalchemy.exc import DBAPIError

from contracts.call_plan import (
    Channel,
    PricedUnit,
    ProviderChoice,
    ResolvedChannel,
    ResolvedStack,
    UnitPrice,
)
from control_plane.building.catalogue import unit_price_repository
from control_plane.building.catalogue.data_file import Catalogue, FileModel, read_catalogue
from control_plane.building.catalogue.edition import load_edition
from control_plane.building.catalogue.load import CatalogueConflict, LoadReport, apply_catalogue
from control_plane.building.catalogue.models import CatalogueEditionNumber, UnitPriceRecord
from control_plane.building.catalogue.unit_prices import (
    FileUnitPrice,
    UnitPriceEntry,
    fault_of_units,
)
from control_plane.platform.database import Database

LLM: dict[PricedUnit, int] = {
    "million_input_tokens": 2_000_000,
    "million_output_tokens": 8_000_000,
}
AUDIO: dict[PricedUnit, int] = {
    "million_input_audio_tokens": 32_000_000,
    "million_output_audio_tokens": 64_000_000,
}
NOW = datetime.now(UTC)
GPT = ProviderChoice(provider="openai", model="gpt-4o")
GEMINI = ProviderChoice(provider="google", model="gemini-3.8-flash")


def stack(llm: ResolvedChannel) -> ResolvedStack:
    return ResolvedStack(
        stt=ResolvedChannel(primary=ProviderChoice(provider="local", model="moonshine-tiny-en")),
        llm=llm,
        tts=ResolvedChannel(primary=ProviderChoice(provider="local", model="hibari-en")),
    )


async def add(
    database: Database,
    choice: ProviderChoice,
    micros_per: dict[PricedUnit, int] = LLM,
    days: int = 0,
) -> UnitPriceEntry:
    """Add an llm unit price that is valid from some days from now on."""
    name = ("llm", choice.provider, choice.model)
    entry = UnitPriceEntry(name, micros_per, NOW + timedelta(days=days))
    async with database.system_session() as session:
        assert await unit_price_repository.add(session, entry) is not None
    return entry


async def frozen(
    database: Database, wanted: ResolvedStack, days: float = 0.5
) -> tuple[UnitPrice, ...]:
    async with database.system_session() as session:
        edition = await load_edition(session, 1)
    return edition.unit_prices_at([wanted, wanted], NOW + timedelta(days=days))


@pytest.mark.parametrize(
    ("channel", "units", "said"),
    [
        ("stt", {"audio_minute"}, None),
        ("stt", {"thousand_characters"}, "exactly audio_minute"),
        ("stt", set(), "exactly audio_minute"),
        ("tts", {"thousand_characters"}, None),
        ("tts", {"audio_minute"}, None),
        ("tts", {"thousand_characters", "audio_minute"}, "exactly one of"),
        ("tts", {"million_input_tokens"}, "exactly one of"),
        ("llm", {"million_input_tokens", "million_output_tokens"}, None),
        ("llm", set(get_args(PricedUnit)) - {"thousand_characters", "audio_minute"}, None),
        ("llm", {"million_input_tokens"}, "million_output_tokens for llm"),
        ("llm", {*LLM, "audio_minute"}, "may have million_cached_input_tokens"),
    ],
)
def test_each_channel_is_billed_by_its_own_units(
    channel: Channel, units: set[PricedUnit], said: str | None
) -> None:
    fault = fault_of_units(channel, units)
    assert fault is None if said is None else said in str(fault)


class TestAPlanFreezes:
    async def test_the_prices_of_the_primary_and_of_the_fallback(self, database: Database) -> None:
        dear = await add(database, GPT)
        cheap = await add(database, GEMINI, dict.fromkeys(LLM, 1))
        found = await frozen(database, stack(ResolvedChannel(primary=GPT, fallback=GEMINI)))
        assert found == (
            UnitPrice(
                price_id=dear.id, channel="llm", provider="openai", model="gpt-4o", micros_per=LLM
            ),
            UnitPrice(
                price_id=cheap.id,
                channel="llm",
                provider="google",
                model="gemini-3.8-flash",
                micros_per=dict.fromkeys(LLM, 1),
            ),
        )

    async def test_the_price_of_the_moment(self, database: Database) -> None:
        await add(database, GPT, dict.fromkeys(LLM, 1), days=1)
        await add(database, GPT, dict.fromkeys(LLM, 2), days=2)
        wanted = stack(ResolvedChannel(primary=GPT))
        by_day = [await frozen(database, wanted, days) for days in (0, 1, 1.5, 2)]
        assert [[price.micros_per["million_input_tokens"] for price in day] for day in by_day] == [
            [],
            [1],
            [1],
            [2],
        ]

    async def test_nothing_for_a_model_without_a_price(self, database: Database) -> None:
        await add(database, GEMINI)
        assert await frozen(database, stack(ResolvedChannel(primary=GPT))) == ()

    async def test_nothing_for_an_own_key(self, database: Database) -> None:
        await add(database, GPT)
        own = GPT.model_copy(update={"key_source": "own"})
        assert await frozen(database, stack(ResolvedChannel(primary=own))) == ()


@pytest.mark.parametrize(
    "statement",
    [
        "UPDATE unit_price_rows SET micros_per = '{}'",
        "DELETE FROM unit_price_rows",
        "TRUNCATE unit_price_rows",
    ],
)
async def test_a_unit_price_cannot_be_changed_by_the_tables_owner_either(
    postgres_url: str, database: Database, statement: str
) -> None:
    await add(database, GPT)
    engine = create_engine(postgres_url)
    with engine.connect() as connection, pytest.raises(DBAPIError, match="append-only"):
        connection.execute(text(statement))
    engine.dispose()


async def test_a_unit_price_makes_the_next_edition(database: Database) -> None:
    numbers = []
    for days in (0, 1):
        await add(database, GPT, days=days)
        async with database.system_session() as session:
            numbers.append(await session.scalar(select(CatalogueEditionNumber.number)))
    assert numbers[1] == numbers[0] + 1


class TestADataFile:
    def catalogue(self, *prices: FileUnitPrice) -> Catalogue:
        """The release's file, with unit prices of one model."""
        catalogue = read_catalogue()
        models = tuple(
            model.model_copy(update={"unit_prices": prices}) if model.model == "gpt-4o" else model
            for model in catalogue.models
        )
        return catalogue.model_copy(update={"models": models})

    def price(self, micros_per: dict[PricedUnit, int] = LLM) -> FileUnitPrice:
        return FileUnitPrice(
            channel="llm", micros_per=micros_per, valid_from=datetime(2026, 1, 1, tzinfo=UTC)
        )

    def apply(self, url: str, catalogue: Catalogue) -> LoadReport:
        engine = create_engine(url)
        with engine.begin() as connection:
            report = apply_catalogue(connection, catalogue)
        engine.dispose()
        return report

    def test_of_the_release_has_none(self) -> None:
        """What a provider bills depends on the operator's contract with it."""
        assert list(read_catalogue().unit_prices()) == []

    async def test_adds_them_once(self, postgres_url: str, database: Database) -> None:
        wanted = self.catalogue(self.price())
        first = self.apply(postgres_url, wanted)
        assert first.added == ("llm unit price of openai/gpt-4o",)
        assert self.apply(postgres_url, wanted).added == ()
        async with database.system_session() as session:
            [row] = await session.scalars(select(UnitPriceRecord))
        assert (row.provider, row.model, row.micros_per) == ("openai", "gpt-4o", LLM)

    def test_cannot_change_them(self, postgres_url: str) -> None:
        self.apply(postgres_url, self.catalogue(self.price()))
        with pytest.raises(CatalogueConflict, match="later valid_from"):
            self.apply(postgres_url, self.catalogue(self.price(dict.fromkeys(LLM, 1))))

    @pytest.mark.parametrize(
        ("model", "price", "said"),
        [
            ("gpt-4o", {"channel": "llm", "micros_per": {}}, "million_input_tokens"),
            ("gpt-4o", {"channel": "stt", "micros_per": {"audio_minute": 1}}, "is no stt model"),
            ("playbook", {"channel": "llm", "micros_per": LLM}, "no provider bills it"),
            ("gpt-4o", {"channel": "llm", "micros_per": LLM | AUDIO}, "only a realtime model"),
            ("gpt-realtime", {"channel": "stt", "micros_per": {"audio_minute": 1}}, "those of llm"),
            ("gpt-realtime", {"channel": "llm", "micros_per": LLM}, "tokens of audio, too"),
        ],
    )
    def test_with_prices_that_make_no_sense_is_refused(
        self, model: str, price: dict[str, Any], said: str
    ) -> None:
        [known] = [each for each in read_catalogue().models if each.model == model]
        document = known.model_dump(mode="json")
        document["unit_prices"] = [price | {"valid_from": "2026-01-01T00:00:00Z"}]
        with pytest.raises(ValidationError, match=said):
            FileModel.model_validate_json(json.dumps(document))
