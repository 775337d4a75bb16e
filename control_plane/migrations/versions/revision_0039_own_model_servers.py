"""A tenant's own model server: its address, its name and its models, beside its key."""

from __future__ import annotations

from alembic import op

revision = "0039"
down_revision = "0038"


def upgrade() -> None:
    op.execute(
        """
        ALTER TABLE provider_keys
        ADD COLUMN IF NOT EXISTS base_url text,
        ADD COLUMN IF NOT EXISTS display_name text,
        ADD COLUMN IF NOT EXISTS models text[]
        """
    )
