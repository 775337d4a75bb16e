"""Which statements are sent to PostgreSQL."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from sqlalchemy import event

from control_plane.platform.database import Database


@contextmanager
def statements(database: Database) -> Iterator[list[str]]:
    """Every statement of system sessions in the ``with`` block."""
    sent: list[str] = []

    def note(_c: object, _cursor: object, statement: str, *_rest: object) -> None:
        sent.append(statement)

    engine = database._system.sync_engine
    event.listen(engine, "before_cursor_execute", note)
    yield sent
    event.remove(engine, "before_cursor_execute", note)
