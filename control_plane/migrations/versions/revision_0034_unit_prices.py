"""What providers bill the installation by: unit prices of models, and what each call came to."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op
from sqlalchemy.dialects.postgresql import JSONB

from control_plane.migrations.online import release_locks
from control_plane.migrations.tenancy import make_append_only, share_with_all_tenants
from control_plane.platform.database import SYSTEM_ROLE

revision = "0034"
down_revision = "0033"

_PRICES = "unit_price_rows"


def upgrade() -> None:
    op.execute("ALTER TABLE calls ADD COLUMN IF NOT EXISTS provider_cost_actual_micros jsonb")
    release_locks()
    op.create_table(
        _PRICES,
        sa.Column("id", sa.Uuid, primary_key=True),
        sa.Column("channel", sa.Text, nullable=False),
        sa.Column("provider", sa.Text, nullable=False),
        sa.Column("model", sa.Text, nullable=False),
        sa.Column("micros_per", JSONB, nullable=False),
        sa.Column("valid_from", sa.DateTime(timezone=True), nullable=False),
        sa.UniqueConstraint("channel", "provider", "model", "valid_from"),
        sa.CheckConstraint("channel IN ('stt', 'llm', 'tts')", name="channel"),
        sa.CheckConstraint("jsonb_typeof(micros_per) = 'object'", name="micros_per"),
    )
    make_append_only(_PRICES)
    share_with_all_tenants(_PRICES)
    op.execute(f"GRANT INSERT ON {_PRICES} TO {SYSTEM_ROLE}")
    op.execute(
        f"""
        CREATE TRIGGER next_edition AFTER INSERT ON {_PRICES}
        FOR EACH STATEMENT EXECUTE FUNCTION switchboard_next_edition()
        """
    )
