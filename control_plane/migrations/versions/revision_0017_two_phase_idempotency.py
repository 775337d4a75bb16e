"""Idempotency keys of requests that act outside of the database are claimed before they act."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

from control_plane.platform.database import APP_ROLE

revision = "0017"
down_revision = "0016"

_TABLE = "answered_requests"


def upgrade() -> None:
    op.add_column(_TABLE, sa.Column("effect_id", sa.Uuid))
    op.add_column(_TABLE, sa.Column("held_until", sa.DateTime(timezone=True)))
    # A refused request gives its key back.
    op.execute(f"GRANT DELETE ON {_TABLE} TO {APP_ROLE}")
