"""Changing big tables while others read and write them.

A statement that waits for a table makes everybody else wait behind it, so revisions run with a
short ``lock_timeout`` and are tried again (``control_plane.migrate``). What takes long on a big
table is done here without a lock that stops anyone, outside the revision's transaction.

Leaving that transaction commits what the revision did before it, and a revision that fails later is
repeated from its start. So such steps come first in it, or after statements that may be repeated.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager

import sqlalchemy as sa
from alembic import op

LOCK_TIMEOUT_MS = 300
"""How long a revision waits for a table that is in use, and others behind it."""


@contextmanager
def outside_transaction() -> Iterator[None]:
    """Each statement is a transaction of its own, and waits as long as it takes."""
    with op.get_context().autocommit_block():
        op.execute("SET lock_timeout = 0")
        yield
        op.execute(f"SET lock_timeout = {LOCK_TIMEOUT_MS}")


def create_index_online(
    name: str,
    table: str,
    columns: Sequence[str | sa.TextClause],
    *,
    unique: bool = False,
    where: str | None = None,
) -> None:
    """Build an index while the table is written to, again if an earlier attempt was interrupted."""
    with outside_transaction():
        is_broken = sa.text(
            "SELECT NOT indisvalid FROM pg_index WHERE indexrelid = to_regclass(:name)"
        )
        if op.get_bind().scalar(is_broken, {"name": name}):
            op.drop_index(name, postgresql_concurrently=True)
        op.create_index(
            name,
            table,
            list(columns),
            unique=unique,
            postgresql_concurrently=True,
            postgresql_where=where,
            if_not_exists=True,
        )
