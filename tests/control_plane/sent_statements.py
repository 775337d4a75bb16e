"""Which statements are sent to PostgreSQL."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager

from sqlalchemy import event
from sqlalchemy.ext.asyncio import AsyncEngine

from control_plane.platform.database import Database


def statements(database: Database) -> AbstractContextManager[list[str]]:
    """Every statement of system sessions in the ``with`` block."""
    return _sent_by(database._system)


def tenants_statements(database: Database) -> AbstractContextManager[list[str]]:
    """Every statement of tenants' sessions in the ``with`` block."""
    return _sent_by(database._app)


@contextmanager
def _sent_by(engine: AsyncEngine) -> Iterator[list[str]]:
    sent: list[str] = []

    def note(_c: object, _cursor: object, statement: str, *_rest: object) -> None:
        sent.append(statement)

    event.listen(engine.sync_engine, "before_cursor_execute", note)
    yield sent
    event.remove(engine.sync_engine, "before_cursor_execute", note)
