"""Loading a data file into the catalogue's tables. Loading it twice changes nothing more.

The file does not change or switch off an entry that an operator has edited (``edited_at``), unless
it is told to overwrite. Entries that the file no longer lists are switched off but never deleted,
because published agents and frozen plans still name them. The file can add prices, but not change
them.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Any

from sqlalchemy import Connection, create_engine

from control_plane.building.catalogue import load_repository
from control_plane.building.catalogue.data_file import CATALOGUE_FILE, Catalogue, read_catalogue
from control_plane.building.catalogue.models import CatalogueModel, CatalogueVoice, ManagedSku
from control_plane.building.catalogue.rows import model_row, sku_row, voice_row
from control_plane.platform.database import Base, table_of
from pipelines.stack.worker_capabilities import REALTIME_PROVIDERS, RUNNABLE_CHANNELS


class CatalogueConflict(Exception):
    """The data file changes an existing price row."""


@dataclass(frozen=True)
class LoadReport:
    """Names of entries, such as ``model openai/gpt-4o``; sorted."""

    version: int
    added: tuple[str, ...] = ()
    changed: tuple[str, ...] = ()
    switched_off: tuple[str, ...] = ()
    kept: tuple[str, ...] = ()
    """Entries that the file would have changed if an operator had not edited them."""


def load_catalogue(
    database_url: str, path: Path | None = None, *, overwrite: bool = False
) -> LoadReport:
    """Load ``path`` or this build's data file, even if a newer version was loaded before.

    Args:
        overwrite: change entries that operators have edited, too.

    Raises:
        CatalogueFileInvalid: the file cannot be read, or is not a consistent catalogue.
        CatalogueConflict: the file changes a price that exists.
        sqlalchemy.exc.OperationalError: PostgreSQL cannot be reached.
    """
    catalogue = read_catalogue(path or CATALOGUE_FILE)
    engine = create_engine(database_url)
    try:
        with engine.begin() as connection:
            return apply_catalogue(connection, catalogue, overwrite=overwrite)
    finally:
        engine.dispose()


def bring_up_to_date(connection: Connection) -> None:
    """Write this build's capabilities, and load its data file if it is newer. Migrations do this.

    The version decides: a file that an operator has loaded stays in force until a build has a
    higher one.

    Raises:
        CatalogueConflict: the file changes a price that exists.
    """
    write_capabilities(connection)
    catalogue = read_catalogue()
    loaded = load_repository.latest_version(connection)
    if loaded is None or loaded < catalogue.version:
        apply_catalogue(connection, catalogue)


def write_capabilities(connection: Connection) -> None:
    """Write down what this build's media workers can run."""
    load_repository.replace_capabilities(
        connection,
        [
            {
                "provider": provider,
                "channels": sorted(channels),
                "realtime": provider in REALTIME_PROVIDERS,
            }
            for provider, channels in RUNNABLE_CHANNELS.items()
        ],
    )


def apply_catalogue(
    connection: Connection, catalogue: Catalogue, *, overwrite: bool = False
) -> LoadReport:
    """
    Raises:
        CatalogueConflict: a price row of the file differs from the table's. A new price needs a
            new row with a later ``valid_from``.
    """
    load_repository.lock_loads(connection)
    tables = (
        _apply(connection, "model", CatalogueModel, map(model_row, catalogue.models), overwrite),
        _apply(
            connection,
            "voice",
            CatalogueVoice,
            (voice_row(voice, catalogue.languages_of(voice)) for voice in catalogue.voices),
            overwrite,
        ),
        _apply(connection, "managed SKU", ManagedSku, map(sku_row, catalogue.skus), overwrite),
    )
    prices = _add_prices(connection, catalogue) + _add_unit_prices(connection, catalogue)
    load_repository.record_load(connection, catalogue.version)
    return LoadReport(
        version=catalogue.version,
        added=_names([table.added for table in tables] + [prices]),
        changed=_names([table.changed for table in tables]),
        switched_off=_names([table.switched_off for table in tables]),
        kept=_names([table.kept for table in tables]),
    )


@dataclass(frozen=True)
class _Changes:
    added: list[str]
    changed: list[str]
    switched_off: list[str]
    kept: list[str]


def _apply(
    connection: Connection,
    kind: str,
    entity: type[Base],
    rows: Iterable[dict[str, Any]],
    overwrite: bool,
) -> _Changes:
    """Insert, update and switch off entries. Rows that are up to date are not written."""
    table = table_of(entity)
    keys = [column.name for column in table.primary_key]
    wanted = {tuple(row[key] for key in keys): row for row in rows}
    existing = {
        tuple(row[key] for key in keys): row for row in load_repository.entries(connection, table)
    }
    changes = _Changes([], [], [], [])
    for key in sorted(wanted.keys() | existing.keys()):
        named = dict(zip(keys, key, strict=True))
        name = f"{kind} {_shown(named)}"
        row, stored = wanted.get(key), existing.get(key)
        if stored is None:
            load_repository.insert_entry(connection, table, wanted[key])
            changes.added.append(name)
            continue
        values = {"is_active": False} if row is None else row
        if overwrite:
            values = values | {"edited_at": None}
        if all(stored[column] == value for column, value in values.items()):
            continue
        if stored["edited_at"] is not None and not overwrite:
            changes.kept.append(name)
            continue
        load_repository.update_entry(connection, table, named, values)
        if stored["is_active"] and not values.get("is_active", True):
            changes.switched_off.append(name)
        else:
            changes.changed.append(name)
    return changes


def _add_prices(connection: Connection, catalogue: Catalogue) -> list[str]:
    known = load_repository.known_prices(connection)
    added = []
    for entry in catalogue.prices():
        price = entry.price
        if entry.id not in known:
            load_repository.insert_price(connection, entry.row)
            added.append(str(entry))
        elif known[entry.id] != price.micros_per_minute:
            raise _conflict(entry, price.valid_from, known[entry.id], price.micros_per_minute)
    return added


def _add_unit_prices(connection: Connection, catalogue: Catalogue) -> list[str]:
    known = load_repository.known_unit_prices(connection)
    added = []
    for entry in catalogue.unit_prices():
        if entry.id not in known:
            load_repository.insert_unit_price(connection, entry.row)
            added.append(str(entry))
        elif known[entry.id] != entry.micros_per:
            raise _conflict(entry, entry.valid_from, known[entry.id], entry.micros_per)
    return added


def _conflict(entry: object, since: datetime, known: object, wanted: object) -> CatalogueConflict:
    return CatalogueConflict(
        f"{entry} from {since.isoformat()} is {known}, not {wanted}: add a row with a later "
        "valid_from instead"
    )


def _shown(key: Mapping[str, str]) -> str:
    """``provider/model``, ``provider/voice`` or the SKU's id."""
    return "/".join(key[name] for name in ("provider", "model", "id") if name in key)


def _names(lists: Iterable[list[str]]) -> tuple[str, ...]:
    return tuple(sorted(name for names in lists for name in names))
