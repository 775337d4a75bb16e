"""Caps on open calls, per plan and tenant, and what they count by; turns of plans in dispatch."""

from __future__ import annotations

from alembic import op

from control_plane.migrations.online import release_locks

revision = "0026"
down_revision = "0025"

_CAPS = ", ".join(
    f"ADD COLUMN IF NOT EXISTS {name} bigint" for name in ("calls_at_once", "calls_not_joined")
)


def upgrade() -> None:
    op.execute(f"ALTER TABLE tenants {_CAPS}")
    release_locks()
    op.execute(
        f"ALTER TABLE plans {_CAPS},"
        " ADD COLUMN IF NOT EXISTS dispatch_weight bigint NOT NULL DEFAULT 1"
    )
    release_locks()
    op.execute(
        "ALTER TABLE calls ADD COLUMN IF NOT EXISTS publishable_key_id uuid,"
        " ADD COLUMN IF NOT EXISTS client_address text"
    )
