"""The payments' audit takes days in turns, as the ledger's does. It finds what belongs to a day by
these indexes."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

from control_plane.migrations.online import create_index_online
from control_plane.platform.database import SYSTEM_ROLE

revision = "0095"
down_revision = "0094"


def upgrade() -> None:
    create_index_online(
        "ix_payments_time", "payments", [sa.text("(coalesce(resolved_at, created_at))")]
    )
    for table, column in (
        ("payment_reversals", "created_at"),
        ("payment_reversals", "returned_at"),
        ("invoices", "issued_at"),
        ("invoices", "voided_at"),
    ):
        create_index_online(f"ix_{table}_{column}", table, [column])
    op.create_table(
        "payment_audits",
        sa.Column("day", sa.Date, primary_key=True),
        sa.Column("audited_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("balanced", sa.Boolean, nullable=False),
    )
    op.execute(f"GRANT SELECT, INSERT, UPDATE ON payment_audits TO {SYSTEM_ROLE}")
