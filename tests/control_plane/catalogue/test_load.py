"""The catalogue's tables follow its data file; prices are history."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest
from sqlalchemy import create_engine, func, select

from contracts.agent_config import AgentConfig
from contracts.call_plan import ResolvedStack
from contracts.money import PLATFORM_FEE_MICROS_PER_MINUTE
from control_plane.catalogue import repository
from control_plane.catalogue.data_file import Catalogue, Price, read_catalogue
from control_plane.catalogue.load import CatalogueConflict, apply_catalogue
from control_plane.catalogue.models import CatalogueModel, PriceRecord
from control_plane.database import Database
from control_plane.migrate import migrate
from pipelines.stack import AvailableKeys, StackChoice, resolve_stack

TOMORROW = datetime.now(UTC) + timedelta(days=1)


def seed(url: str, catalogue: Catalogue) -> None:
    engine = create_engine(url)
    with engine.begin() as connection:
        apply_catalogue(connection, catalogue)
    engine.dispose()


def with_llm_prices(*prices: Price) -> Catalogue:
    """The data file, with the playbook engine's prices replaced."""
    catalogue = read_catalogue()
    models = tuple(
        model.model_copy(update={"prices": prices}) if model.model == "playbook" else model
        for model in catalogue.models
    )
    return catalogue.model_copy(update={"models": models})


def llm_price(micros: int, valid_from: datetime) -> Price:
    return Price(component="llm", micros_per_minute=micros, valid_from=valid_from)


async def resolved(database: Database) -> ResolvedStack:
    async with database.system_session() as session:
        catalogue = await repository.stack_catalogue(session)
    keys = AvailableKeys(frozenset({"local"}))
    found = resolve_stack(AgentConfig(name="x"), catalogue, keys, "en-US")
    assert isinstance(found, StackChoice)
    return found.stack


async def test_migrating_again_changes_nothing(postgres_url: str, database: Database) -> None:
    async with database.system_session() as session:
        before = (await session.scalars(select(PriceRecord.id))).all()
    migrate(postgres_url)
    async with database.system_session() as session:
        assert sorted((await session.scalars(select(PriceRecord.id))).all()) == sorted(before)


async def test_a_stack_is_priced_by_its_components_and_the_platform_fee(
    database: Database,
) -> None:
    stack = await resolved(database)
    async with database.system_session() as session:
        rows = await repository.price_rows(session, stack)

    assert {row.component: row.model for row in rows} == {
        "stt": "moonshine-tiny-en",
        "llm": "playbook",
        "tts": "hibari-en",
        "platform": "platform",
    }
    [fee] = [row.micros_per_minute for row in rows if row.component == "platform"]
    assert fee == PLATFORM_FEE_MICROS_PER_MINUTE


async def test_a_price_holds_until_the_next_one_begins(
    postgres_url: str, database: Database
) -> None:
    stack = await resolved(database)
    [old] = [model.prices[0] for model in read_catalogue().models if model.model == "playbook"]
    seed(postgres_url, with_llm_prices(old, llm_price(77, TOMORROW)))

    async def price_at(moment: datetime | None) -> int:
        async with database.system_session() as session:
            rows = await repository.price_rows(session, stack, at=moment)
        return next(row.micros_per_minute for row in rows if row.component == "llm")

    assert await price_at(None) == old.micros_per_minute
    assert await price_at(TOMORROW - timedelta(seconds=1)) == old.micros_per_minute
    assert await price_at(TOMORROW) == 77


async def test_there_is_no_price_before_the_first(database: Database) -> None:
    stack = await resolved(database)
    async with database.system_session() as session:
        with pytest.raises(repository.PriceMissing, match="moonshine"):
            await repository.price_rows(session, stack, at=datetime(2000, 1, 1, tzinfo=UTC))


async def test_a_price_that_exists_cannot_be_changed_in_the_file(postgres_url: str) -> None:
    [old] = [model.prices[0] for model in read_catalogue().models if model.model == "playbook"]
    changed = with_llm_prices(llm_price(old.micros_per_minute + 1, old.valid_from))
    with pytest.raises(CatalogueConflict, match="later valid_from"):
        seed(postgres_url, changed)


async def test_a_model_that_left_the_file_is_no_longer_offered_but_keeps_its_prices(
    postgres_url: str, database: Database
) -> None:
    catalogue = read_catalogue()
    without = tuple(model for model in catalogue.models if model.model != "nova-2")
    seed(postgres_url, catalogue.model_copy(update={"models": without}))

    async with database.system_session() as session:
        offered = await repository.stack_catalogue(session)
        prices = await session.scalar(
            select(func.count()).select_from(PriceRecord).where(PriceRecord.model == "nova-2")
        )
        is_active = await session.scalar(
            select(CatalogueModel.is_active).where(CatalogueModel.model == "nova-2")
        )
    assert "nova-2" not in {model.model for model in offered.models}
    assert (is_active, prices) == (False, 1)
