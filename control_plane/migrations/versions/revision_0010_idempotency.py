"""Requests that may be sent again."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

from control_plane.database import SYSTEM_ROLE
from control_plane.migrations.tenancy import confine_to_tenant

revision = "0010"
down_revision = "0009"

TABLE = "answered_requests"


def upgrade() -> None:
    op.create_table(
        TABLE,
        sa.Column("key_digest", sa.LargeBinary, primary_key=True),
        # The operator's requests are no tenant's.
        sa.Column("tenant_id", sa.Uuid, sa.ForeignKey("tenants.id")),
        sa.Column("request_digest", sa.LargeBinary, nullable=False),
        sa.Column("sealed_answer", sa.Text, nullable=False),
        sa.Column(
            "claimed_at", sa.DateTime(timezone=True), nullable=False, server_default=sa.func.now()
        ),
    )
    op.create_index(f"ix_{TABLE}_claimed_at", TABLE, ["claimed_at"])
    confine_to_tenant(TABLE, privileges=("SELECT", "INSERT", "UPDATE"))
    op.execute(f"GRANT DELETE ON {TABLE} TO {SYSTEM_ROLE}")
