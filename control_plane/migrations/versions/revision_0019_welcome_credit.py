"""The welcome credit is for people: each gets it once, however many tenants they open."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0019"
down_revision = "0018"


def upgrade() -> None:
    """Everybody who has an account by now has had the credit."""
    op.add_column(
        "users",
        sa.Column("welcomed_at", sa.DateTime(timezone=True), server_default=sa.func.now()),
    )
    op.alter_column("users", "welcomed_at", server_default=None)
    op.add_column("users", sa.Column("welcome_tenant_id", sa.Uuid))
