"""Changing big tables while they are in use.

A statement that waits for a table's lock makes all later statements wait, too. So revisions run
with a short ``lock_timeout`` and are tried again (``control_plane.migrate``). Slow steps on a big
table are done here, without a lock that stops others, and outside the revision's transaction.

Leaving that transaction commits the revision's earlier statements, and a revision that fails later
is repeated from its start. So put such steps first, or after statements that can be repeated.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager

import sqlalchemy as sa
from alembic import op

LOCK_TIMEOUT_MS = 60
"""How long a revision waits for a table that is in use. Other statements wait behind it."""


@contextmanager
def outside_transaction() -> Iterator[None]:
    """Each statement is its own transaction and waits as long as necessary."""
    with op.get_context().autocommit_block():
        op.execute("SET lock_timeout = 0")
        yield
        op.execute(f"SET lock_timeout = {LOCK_TIMEOUT_MS}")


def release_locks() -> None:
    """Commit what the revision has done so far; it must be possible to repeat that.

    Put it between statements that change tables in use. A revision that waits for one of them while
    it holds another blocks transactions that need both, and they block the revision.
    """
    with op.get_context().autocommit_block():
        pass


def create_index_online(
    name: str,
    table: str,
    columns: Sequence[str | sa.TextClause],
    *,
    unique: bool = False,
    where: str | None = None,
) -> None:
    """Build an index while the table is in use. An index from an interrupted attempt is built
    again."""
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
