"""Requests that spend money outside of calls, counted for each tenant."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

from control_plane.migrations.tenancy import confine_to_tenant

revision = "0031"
down_revision = "0030"

_METERS = "spending_meters"


def upgrade() -> None:
    op.create_table(
        _METERS,
        sa.Column("tenant_id", sa.Uuid, sa.ForeignKey("tenants.id"), primary_key=True),
        sa.Column("kind", sa.Text, primary_key=True),
        sa.Column("requests", sa.BigInteger, nullable=False),
        sa.Column("day", sa.Date, nullable=False),
        sa.Column("requests_of_day", sa.BigInteger, nullable=False),
        sa.Column("minute_began_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("requests_of_minute", sa.BigInteger, nullable=False),
    )
    confine_to_tenant(_METERS, privileges=("SELECT", "INSERT", "UPDATE"))
