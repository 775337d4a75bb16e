"""When tenants' provider keys were verified; stored secrets can be encrypted with a new key."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

from control_plane.platform.database import SYSTEM_ROLE

revision = "0006"
down_revision = "0005"


def upgrade() -> None:
    op.add_column("provider_keys", sa.Column("verified_at", sa.DateTime(timezone=True)))
    _let_published_secrets_be_resealed()


def _let_published_secrets_be_resealed() -> None:
    """Published versions never change, except that their secrets must be encrypted again when the
    encryption key changes."""
    op.execute("DROP TRIGGER refuse_change ON agent_versions")
    op.execute(
        """
        CREATE TRIGGER refuse_change BEFORE UPDATE OR DELETE ON agent_versions FOR EACH ROW
        WHEN (current_setting('switchboard.sealing_anew', true) IS DISTINCT FROM 'on')
        EXECUTE FUNCTION switchboard_refuse_change()
        """
    )
    op.execute(f"GRANT UPDATE ON agent_versions TO {SYSTEM_ROLE}")
