"""Encrypting every stored secret with the newest key, so that an old key can be removed."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import structlog
from sqlalchemy import Row, Select, inspect, select, text, tuple_, update
from sqlalchemy.ext.asyncio import AsyncSession

from contracts.sealing import CannotOpen, Sealer
from control_plane.platform.database import Database
from control_plane.sealed_columns import SEALED_COLUMNS, SealedColumn

BATCH_ROWS = 200
_log = structlog.get_logger(__name__)


@dataclass
class Rotated:
    """How many secrets were found in one column."""

    column: str
    found: int = 0
    resealed: int = 0
    cannot_be_opened: int = 0
    """Left as they are, because none of the keys decrypts them."""


async def rotate(
    database: Database, sealer: Sealer, columns: Iterable[SealedColumn] = SEALED_COLUMNS
) -> list[Rotated]:
    """Encrypt every secret with the newest key, in batches of one transaction each.

    It can be stopped and repeated. A row that is changed at the same time may be written with the
    old key, so repeat it until it finds nothing to do before you remove an old key.

    Raises:
        DatabaseUnavailable: PostgreSQL is down.
    """
    return [await _rotate_column(database, sealer, column) for column in columns]


async def _rotate_column(database: Database, sealer: Sealer, column: SealedColumn) -> Rotated:
    rotated = Rotated(str(column))
    last_key: tuple[Any, ...] | None = None
    while True:
        async with database.system_session() as session:
            await session.execute(text("SET LOCAL switchboard.sealing_anew = 'on'"))
            rows = (await session.execute(_batch(column, last_key))).all()
            for row in rows:
                await _rotate_row(session, sealer, column, row, rotated)
        if len(rows) < BATCH_ROWS:
            return rotated
        last_key = tuple(rows[-1][:-1])


def _batch(column: SealedColumn, after: tuple[Any, ...] | None) -> Select[Any]:
    """The next rows, locked: the primary key and the column."""
    key = inspect(column.column.class_).primary_key
    query = select(*key, column.column).order_by(*key).limit(BATCH_ROWS).with_for_update()
    if column.while_null is not None:
        query = query.where(column.while_null.is_(None))
    return query if after is None else query.where(tuple_(*key) > tuple_(*after))


async def _rotate_row(
    session: AsyncSession,
    sealer: Sealer,
    column: SealedColumn,
    row: Row[Any],
    rotated: Rotated,
) -> None:
    key: list[Any] = list(row[:-1])
    value = row[-1]

    def reseal(sealed: str) -> str:
        rotated.found += 1
        try:
            resealed = sealer.reseal(sealed)
        except CannotOpen:
            rotated.cannot_be_opened += 1
            _log.warning("secret.cannot_be_opened", column=str(column), row=[*map(str, key)])
            return sealed
        rotated.resealed += resealed != sealed
        return resealed

    resealed = column.reseal_all(value, reseal)
    if resealed == value:
        return
    mapper = inspect(column.column.class_)
    values = {column.column.key: resealed}
    values |= {name: computed(resealed) for name, computed in column.computed.items()}
    is_row = (part == own for part, own in zip(mapper.primary_key, key, strict=True))
    await session.execute(update(mapper.local_table).where(*is_row).values(values))
