"""Publishable keys for phones: allowed countries, and how many calls a day."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op
from sqlalchemy.dialects.postgresql import ARRAY

from control_plane.migrations.tenancy import confine_to_tenant

revision = "0018"
down_revision = "0017"

_COUNTS = "phone_calls_of_keys"


def upgrade() -> None:
    """Keys that exist keep calling every country, as often as they like: an upgrade must not stop
    anybody's calls."""
    op.add_column("api_keys", sa.Column("phone_countries", ARRAY(sa.Text)))
    op.add_column("api_keys", sa.Column("phone_calls_per_day", sa.BigInteger))
    op.create_table(
        _COUNTS,
        sa.Column("api_key_id", sa.Uuid, primary_key=True),
        sa.Column("tenant_id", sa.Uuid, sa.ForeignKey("tenants.id"), nullable=False),
        sa.Column("day", sa.Date, nullable=False),
        sa.Column("calls", sa.BigInteger, nullable=False),
        sa.ForeignKeyConstraint(["tenant_id", "api_key_id"], ["api_keys.tenant_id", "api_keys.id"]),
    )
    confine_to_tenant(_COUNTS, privileges=("SELECT", "INSERT", "UPDATE"))
