"""Bring the catalogue's tables in line with the data file. Repeating it changes nothing."""

from __future__ import annotations

from sqlalchemy import Connection, select, tuple_, update
from sqlalchemy.dialects.postgresql import insert

from control_plane.catalogue.data_file import Catalogue, read_catalogue
from control_plane.catalogue.models import CatalogueModel, CatalogueVoice, PriceRecord


class CatalogueConflict(Exception):
    """The data file changes a price row that exists already."""


def seed_catalogue(connection: Connection, catalogue: Catalogue | None = None) -> None:
    """Write models and voices, switch off those that are gone, and add new price rows.

    Raises:
        CatalogueConflict: a price row of the file differs from the table's. Prices are
            append-only: a new price is a new row with a later ``valid_from``.
    """
    catalogue = catalogue or read_catalogue()
    _seed_models(connection, catalogue)
    _seed_voices(connection, catalogue)
    _seed_prices(connection, catalogue)


def _seed_models(connection: Connection, catalogue: Catalogue) -> None:
    key = tuple_(CatalogueModel.provider, CatalogueModel.model)
    rows = [model.model_dump(exclude={"prices"}) for model in catalogue.models]
    connection.execute(
        update(CatalogueModel)
        .where(key.not_in([(row["provider"], row["model"]) for row in rows]))
        .values(is_active=False)
    )
    statement = insert(CatalogueModel)
    changed = {
        name: statement.excluded[name] for name in rows[0] if name not in ("provider", "model")
    }
    connection.execute(
        statement.on_conflict_do_update(index_elements=["provider", "model"], set_=changed),
        [row | _lists(row) for row in rows],
    )


def _seed_voices(connection: Connection, catalogue: Catalogue) -> None:
    key = tuple_(CatalogueVoice.id, CatalogueVoice.provider)
    rows = [voice.model_dump() for voice in catalogue.voices]
    connection.execute(
        update(CatalogueVoice)
        .where(key.not_in([(row["id"], row["provider"]) for row in rows]))
        .values(is_active=False)
    )
    statement = insert(CatalogueVoice)
    changed = {name: statement.excluded[name] for name in rows[0] if name not in ("id", "provider")}
    connection.execute(
        statement.on_conflict_do_update(index_elements=["id", "provider"], set_=changed),
        [row | _lists(row) for row in rows],
    )


def _seed_prices(connection: Connection, catalogue: Catalogue) -> None:
    known = dict(connection.execute(select(PriceRecord.id, PriceRecord.micros_per_minute)).all())
    for entry in catalogue.prices():
        price = entry.price
        if entry.id not in known:
            connection.execute(
                insert(PriceRecord).values(
                    id=entry.id,
                    component=price.component,
                    provider=entry.provider,
                    model=entry.model,
                    micros_per_minute=price.micros_per_minute,
                    valid_from=price.valid_from,
                )
            )
        elif known[entry.id] != price.micros_per_minute:
            raise CatalogueConflict(
                f"{price.component} price of {entry.provider}/{entry.model} from "
                f"{price.valid_from.isoformat()} is {known[entry.id]}, not "
                f"{price.micros_per_minute}: add a row with a later valid_from instead"
            )


def _lists(row: dict[str, object]) -> dict[str, list[object]]:
    """PostgreSQL arrays are lists to the driver."""
    return {name: list(value) for name, value in row.items() if isinstance(value, tuple)}
