"""A copy of the catalogue is as new as the tables."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from uuid import uuid4

import pytest
from sqlalchemy import insert, select, text

from contracts.call_plan import ProviderChoice, ResolvedChannel, ResolvedStack
from control_plane.building.catalogue import price_repository
from control_plane.building.catalogue.edition import CatalogueCache, load_edition
from control_plane.building.catalogue.models import CatalogueEditionNumber, PriceRecord
from control_plane.building.catalogue.stack_prices import price_rows_of, prices_needed
from control_plane.platform.database import Database
from tests.control_plane.conftest import TenantClient

LOCAL = ResolvedStack(
    stt=ResolvedChannel(primary=ProviderChoice(provider="local", model="moonshine-tiny-en")),
    llm=ResolvedChannel(primary=ProviderChoice(provider="local", model="playbook")),
    tts=ResolvedChannel(primary=ProviderChoice(provider="local", model="hibari-en")),
)
PRICE = {"component": "stt", "provider": "local", "model": "moonshine-tiny-en"}


async def number_of(database: Database) -> int:
    async with database.system_session() as session:
        return (await session.scalars(select(CatalogueEditionNumber.number))).one()


@pytest.mark.parametrize(
    "statement",
    [
        "UPDATE catalogue_models SET rank = rank",
        "UPDATE catalogue_voices SET rank = rank",
        "UPDATE managed_skus SET label = label",
    ],
)
async def test_every_edit_makes_the_next_edition(database: Database, statement: str) -> None:
    before = await number_of(database)
    async with database.system_session() as session:
        await session.execute(text(statement))
    assert await number_of(database) == before + 1


async def test_an_edit_that_is_rolled_back_makes_none(database: Database) -> None:
    before = await number_of(database)
    async with database.system_session() as session:
        await session.execute(text("UPDATE catalogue_models SET is_active = false"))
        await session.rollback()
    assert await number_of(database) == before


async def test_an_edition_is_loaded_once(database: Database) -> None:
    cache = CatalogueCache()
    async with database.system_session() as session:
        first = await cache.edition(session, 1)
        assert await cache.edition(session, 1) is first
        assert await cache.edition(session, 2) is not first


async def test_prices_are_those_of_the_moment(tenant: TenantClient, database: Database) -> None:
    now = datetime.now(UTC)
    async with database.system_session() as session:
        for days, micros in ((-1, 11_000), (1, 22_000)):
            moment = now + timedelta(days=days)
            row = {"id": uuid4(), "micros_per_minute": micros, "valid_from": moment}
            await session.execute(insert(PriceRecord).values(**PRICE, **row))
        edition = await load_edition(session, 1)
        for days, micros in ((0, 11_000), (2, 22_000)):
            at = now + timedelta(days=days)
            rows = edition.price_rows(LOCAL, None, at)
            valid = await price_repository.prices_at(session, prices_needed(LOCAL, None), at)
            assert rows == price_rows_of(LOCAL, None, valid)
            assert rows[0].micros_per_minute == micros


async def test_a_price_counts_for_the_next_call(tenant: TenantClient, database: Database) -> None:
    agent_id = await tenant.published_agent()
    wanted = {
        "agent_id": str(agent_id),
        "participants": [{"transport": "webrtc", "identity": "ada"}],
    }
    assert (await tenant.post("/v1/calls", wanted)).status_code == 201
    async with database.system_session() as session:
        rate = text("SELECT plan->'prices' FROM calls ORDER BY created_at DESC LIMIT 1")
        [stt] = [row for row in await session.scalar(rate) or () if row["component"] == "stt"]
        name = {each: stt[each] for each in ("component", "provider", "model")}
        moment = datetime.now(UTC)
        row = {"id": uuid4(), "micros_per_minute": 77_000, "valid_from": moment}
        await session.execute(insert(PriceRecord).values(**name, **row))
    assert (await tenant.post("/v1/calls", wanted)).status_code == 201
    async with database.system_session() as session:
        [stt] = [row for row in await session.scalar(rate) or () if row["component"] == "stt"]
    assert stt["micros_per_minute"] == 77_000
