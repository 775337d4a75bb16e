"""Caps on open calls, per plan and tenant, and what they count by; turns of plans in dispatch."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0026"
down_revision = "0025"


def upgrade() -> None:
    for table in ("plans", "tenants"):
        op.add_column(table, sa.Column("calls_at_once", sa.BigInteger))
        op.add_column(table, sa.Column("calls_not_joined", sa.BigInteger))
    op.add_column(
        "plans", sa.Column("dispatch_weight", sa.BigInteger, nullable=False, server_default="1")
    )
    op.add_column("calls", sa.Column("publishable_key_id", sa.Uuid))
    op.add_column("calls", sa.Column("client_address", sa.Text))
