"""Public links to agents, and the calls that were made through them."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op
from sqlalchemy.dialects.postgresql import ARRAY

from control_plane.migrations.tenancy import confine_to_tenant

revision = "0085"
down_revision = "0080"


def upgrade() -> None:
    op.create_table(
        "share_links",
        sa.Column("id", sa.Uuid, primary_key=True),
        sa.Column("tenant_id", sa.Uuid, sa.ForeignKey("tenants.id"), nullable=False),
        sa.Column("agent_id", sa.Uuid, nullable=False, unique=True),
        sa.Column("sealed_token", sa.Text, nullable=False),
        sa.Column("token_hash", sa.LargeBinary, nullable=False, unique=True),
        sa.Column("enabled", sa.Boolean, nullable=False),
        *(
            sa.Column(name, sa.BigInteger, nullable=False)
            for name in (
                "minutes_limit",
                "max_call_seconds",
                "max_concurrent",
                "calls_per_ip_hour",
            )
        ),
        sa.Column("allowed_origins", ARRAY(sa.Text), nullable=False),
        sa.Column("minutes_requested_at", sa.DateTime(timezone=True)),
        sa.Column("created_at", sa.DateTime(timezone=True), nullable=False),
    )
    op.create_index("ix_share_links_of_tenant", "share_links", ["tenant_id"])
    confine_to_tenant("share_links")
    op.create_table(
        "shared_calls",
        sa.Column("call_id", sa.Uuid, primary_key=True),
        sa.Column("tenant_id", sa.Uuid, sa.ForeignKey("tenants.id"), nullable=False),
        sa.Column("share_id", sa.Uuid, nullable=False),
        sa.Column("reserved_seconds", sa.BigInteger, nullable=False),
    )
    op.create_index("ix_shared_calls_of_share", "shared_calls", ["tenant_id", "share_id"])
    confine_to_tenant("shared_calls", privileges=("SELECT", "INSERT"))
