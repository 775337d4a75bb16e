"""Every query of loading a data file. Migrations load one too, so all take a plain connection."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any
from uuid import UUID

from sqlalchemy import (
    Connection,
    RowMapping,
    Table,
    and_,
    delete,
    func,
    insert,
    select,
    text,
    update,
)

from control_plane.building.catalogue.models import (
    CatalogueLoad,
    PriceRecord,
    ProviderCapability,
    UnitPriceRecord,
)


def lock_loads(connection: Connection) -> None:
    """Keep other loads waiting until the transaction ends."""
    connection.execute(text("LOCK TABLE catalogue_loads IN SHARE ROW EXCLUSIVE MODE"))


def latest_version(connection: Connection) -> int | None:
    """The highest version of all data files loaded so far."""
    version: int | None = connection.scalar(select(func.max(CatalogueLoad.version)))
    return version


def record_load(connection: Connection, version: int) -> None:
    connection.execute(insert(CatalogueLoad).values(version=version))


def replace_capabilities(connection: Connection, rows: Sequence[Mapping[str, Any]]) -> None:
    connection.execute(delete(ProviderCapability))
    connection.execute(insert(ProviderCapability), [dict(row) for row in rows])


def entries(connection: Connection, table: Table) -> Iterable[RowMapping]:
    """Every row of a table of models, voices or managed SKUs."""
    return connection.execute(select(table)).mappings()


def insert_entry(connection: Connection, table: Table, row: Mapping[str, Any]) -> None:
    connection.execute(insert(table).values(dict(row)))


def update_entry(
    connection: Connection, table: Table, key: Mapping[str, str], values: Mapping[str, Any]
) -> None:
    where = and_(*(table.c[column] == part for column, part in key.items()))
    connection.execute(update(table).where(where).values(dict(values)))


def known_prices(connection: Connection) -> dict[UUID, int]:
    """Micro-dollars per minute of every price row, by its id."""
    rows = connection.execute(select(PriceRecord.id, PriceRecord.micros_per_minute))
    return {row.id: row.micros_per_minute for row in rows}


def insert_price(connection: Connection, row: Mapping[str, Any]) -> None:
    connection.execute(insert(PriceRecord).values(dict(row)))


def known_unit_prices(connection: Connection) -> dict[UUID, dict[str, int]]:
    """Micro-dollars by unit of every unit price, by its id."""
    rows = connection.execute(select(UnitPriceRecord.id, UnitPriceRecord.micros_per))
    return {row.id: row.micros_per for row in rows}


def insert_unit_price(connection: Connection, row: Mapping[str, Any]) -> None:
    connection.execute(insert(UnitPriceRecord).values(dict(row)))
