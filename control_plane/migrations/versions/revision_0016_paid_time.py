"""What each call's reserve pays for, and two more types of ledger entries."""

from __future__ import annotations

from alembic import op

from control_plane.migrations.online import outside_transaction

revision = "0016"
down_revision = "0015"

TRANSACTION_TYPES = ("grant", "charge", "debit", "correction")


def upgrade() -> None:
    op.execute("ALTER TABLE calls ADD COLUMN IF NOT EXISTS funded_until_ms bigint")
    _allow_transaction_types()


def _allow_transaction_types() -> None:
    """The new constraint allows everything that the old one does, so it may replace it before the
    rows are checked, which takes long and is done without a lock that stops others."""
    types = ", ".join(f"'{each}'" for each in TRANSACTION_TYPES)
    name = "ck_ledger_entries_transaction_type"
    op.execute(f"ALTER TABLE ledger_entries DROP CONSTRAINT IF EXISTS {name}")
    op.execute(
        f"ALTER TABLE ledger_entries ADD CONSTRAINT {name}"
        f" CHECK (transaction_type IN ({types})) NOT VALID"
    )
    with outside_transaction():
        op.execute(f"ALTER TABLE ledger_entries VALIDATE CONSTRAINT {name}")
