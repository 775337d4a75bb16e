"""The catalogue's tables follow its data file, except where an operator has edited them."""

from __future__ import annotations

import json
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from sqlalchemy import create_engine, select, text, update
from sqlalchemy.exc import DBAPIError

from control_plane.building.catalogue import price_repository, repository
from control_plane.building.catalogue.data_file import (
    CATALOGUE_FILE,
    Catalogue,
    CatalogueFileInvalid,
    read_catalogue,
)
from control_plane.building.catalogue.entries import Price
from control_plane.building.catalogue.load import (
    CatalogueConflict,
    LoadReport,
    apply_catalogue,
    load_catalogue,
)
from control_plane.building.catalogue.models import (
    CatalogueLoad,
    CatalogueModel,
    ManagedSku,
    PriceRecord,
    ProviderCapability,
)
from control_plane.migrate import migrate
from control_plane.platform.database import Database
from pipelines.stack.worker_capabilities import RUNNABLE_CHANNELS

TOMORROW = datetime.now(UTC) + timedelta(days=1)


def apply(url: str, catalogue: Catalogue, *, overwrite: bool = False) -> LoadReport:
    engine = create_engine(url)
    with engine.begin() as connection:
        report = apply_catalogue(connection, catalogue, overwrite=overwrite)
    engine.dispose()
    return report


def edit(url: str, provider: str, model: str, **values: object) -> None:
    """What an operator's edit leaves behind."""
    engine = create_engine(url)
    with engine.begin() as connection:
        connection.execute(
            update(CatalogueModel)
            .where(CatalogueModel.provider == provider, CatalogueModel.model == model)
            .values(edited_at=datetime.now(UTC), **values)
        )
    engine.dispose()


def with_llm_prices(*prices: Price) -> Catalogue:
    """The data file, with the playbook engine's prices replaced."""
    catalogue = read_catalogue()
    models = tuple(
        model.model_copy(update={"prices": prices}) if model.model == "playbook" else model
        for model in catalogue.models
    )
    return catalogue.model_copy(update={"models": models})


def with_label(model: str, label: str) -> Catalogue:
    catalogue = read_catalogue()
    models = tuple(
        entry.model_copy(update={"label": label}) if entry.model == model else entry
        for entry in catalogue.models
    )
    return catalogue.model_copy(update={"models": models})


def without_model(model: str) -> Catalogue:
    catalogue = read_catalogue()
    models = tuple(entry for entry in catalogue.models if entry.model != model)
    return catalogue.model_copy(update={"models": models})


def playbook_price() -> Price:
    [price] = [model.prices[0] for model in read_catalogue().models if model.model == "playbook"]
    return price


async def label_of(database: Database, model: str) -> str:
    async with database.system_session() as session:
        found = await session.scalar(
            select(CatalogueModel.label).where(CatalogueModel.model == model)
        )
    assert found is not None
    return found


def test_loading_again_changes_nothing(postgres_url: str) -> None:
    assert load_catalogue(postgres_url) == LoadReport(version=read_catalogue().version)


def test_a_load_reports_what_it_added_changed_and_switched_off(postgres_url: str) -> None:
    changed = with_label("gpt-4o", "Renamed")
    fewer = tuple(model for model in changed.models if model.model != "nova-2")
    old = playbook_price()
    new = Price(component="llm", micros_per_minute=77, valid_from=TOMORROW)
    models = tuple(
        model.model_copy(update={"prices": (old, new)}) if model.model == "playbook" else model
        for model in fewer
    )
    report = apply(postgres_url, changed.model_copy(update={"models": models, "version": 9}))
    assert report == LoadReport(
        version=9,
        added=("llm price of local/playbook",),
        changed=("model openai/gpt-4o",),
        switched_off=("model deepgram/nova-2",),
    )


async def test_what_left_the_file_is_no_longer_offered_but_keeps_its_prices(
    postgres_url: str, database: Database
) -> None:
    apply(postgres_url, without_model("nova-2"))
    async with database.system_session() as session:
        offered = await repository.stack_catalogue(session)
        priced = await price_repository.prices_at(session, [("stt", "deepgram", "nova-2")])
    assert "nova-2" not in {model.model for model in offered.models}
    assert len(priced) == 1


async def test_what_came_back_to_the_file_is_offered_again(
    postgres_url: str, database: Database
) -> None:
    apply(postgres_url, without_model("nova-2"))
    report = apply(postgres_url, read_catalogue())
    assert report.changed == ("model deepgram/nova-2",)
    async with database.system_session() as session:
        offered = await repository.stack_catalogue(session)
    assert "nova-2" in {model.model for model in offered.models}


class TestAnOperatorsEdit:
    async def test_survives_a_load(self, postgres_url: str, database: Database) -> None:
        edit(postgres_url, "openai", "gpt-4o", label="Ours", is_active=False)
        report = apply(postgres_url, with_label("gpt-4o", "The file's"))
        assert report.kept == ("model openai/gpt-4o",)
        assert await label_of(database, "gpt-4o") == "Ours"

    async def test_survives_the_loss_of_its_entry_in_the_file(
        self, postgres_url: str, database: Database
    ) -> None:
        edit(postgres_url, "deepgram", "nova-2", label="Ours")
        assert apply(postgres_url, without_model("nova-2")).switched_off == ()
        async with database.system_session() as session:
            offered = await repository.stack_catalogue(session)
        assert "nova-2" in {model.model for model in offered.models}

    async def test_yields_to_a_load_that_overwrites(
        self, postgres_url: str, database: Database
    ) -> None:
        edit(postgres_url, "openai", "gpt-4o", label="Ours")
        report = apply(postgres_url, with_label("gpt-4o", "The file's"), overwrite=True)
        assert report.changed == ("model openai/gpt-4o",)
        assert await label_of(database, "gpt-4o") == "The file's"
        assert apply(postgres_url, with_label("gpt-4o", "The file's")).kept == ()


class TestAPrice:
    def test_cannot_be_changed_in_the_file(self, postgres_url: str) -> None:
        old = playbook_price()
        dearer = old.model_copy(update={"micros_per_minute": old.micros_per_minute + 1})
        with pytest.raises(CatalogueConflict, match="later valid_from"):
            apply(postgres_url, with_llm_prices(dearer))

    @pytest.mark.parametrize(
        "statement",
        [
            "UPDATE price_rows SET micros_per_minute = 0",
            "DELETE FROM price_rows",
            "TRUNCATE price_rows",
        ],
    )
    def test_cannot_be_changed_in_the_table(self, postgres_url: str, statement: str) -> None:
        engine = create_engine(postgres_url)
        with engine.connect() as connection, pytest.raises(DBAPIError, match="append-only"):
            connection.execute(text(statement))
        engine.dispose()

    async def test_has_the_same_id_on_every_installation(self, database: Database) -> None:
        async with database.system_session() as session:
            stored = set(await session.scalars(select(PriceRecord.id)))
        assert stored == {entry.id for entry in read_catalogue().prices()}


class TestMigrating:
    async def test_loads_a_newer_file_once(self, postgres_url: str, database: Database) -> None:
        migrate(postgres_url)
        async with database.system_session() as session:
            loaded = (await session.scalars(select(CatalogueLoad.version))).all()
        assert loaded == [read_catalogue().version]

    async def test_leaves_a_newer_file_of_the_operators_in_force(
        self, postgres_url: str, database: Database
    ) -> None:
        ours = with_label("gpt-4o", "Ours").model_copy(update={"version": 1_000_000})
        apply(postgres_url, ours)
        migrate(postgres_url)
        assert await label_of(database, "gpt-4o") == "Ours"

    async def test_writes_down_what_the_workers_can_run(self, database: Database) -> None:
        async with database.system_session() as session:
            rows = await session.scalars(select(ProviderCapability))
            written = {row.provider: frozenset(row.channels) for row in rows}
        assert written == RUNNABLE_CHANNELS


class TestAFile:
    def test_of_ones_own_can_be_loaded(self, postgres_url: str, tmp_path: Path) -> None:
        document = json.loads(CATALOGUE_FILE.read_text())
        document["version"] += 1
        document["skus"].pop()
        path = tmp_path / "ours.json"
        path.write_text(json.dumps(document))
        report = load_catalogue(postgres_url, path)
        assert report.version == document["version"]
        assert report.switched_off == ("managed SKU offline-english",)

    def test_that_is_not_there_is_refused_in_words(self, postgres_url: str, tmp_path: Path) -> None:
        with pytest.raises(CatalogueFileInvalid, match=r"cannot be read: No such file"):
            load_catalogue(postgres_url, tmp_path / "nowhere.json")

    def test_that_is_no_catalogue_changes_nothing(self, postgres_url: str, tmp_path: Path) -> None:
        path = tmp_path / "broken.json"
        path.write_text('{"version": 3, "models": [{}]}')
        with pytest.raises(CatalogueFileInvalid, match=r"models\.0\.provider"):
            load_catalogue(postgres_url, path)
        assert load_catalogue(postgres_url) == LoadReport(version=read_catalogue().version)


async def test_every_sku_of_the_file_is_in_its_table(database: Database) -> None:
    async with database.system_session() as session:
        stored = set(await session.scalars(select(ManagedSku.id)))
    assert stored == {sku.id for sku in read_catalogue().skus}
