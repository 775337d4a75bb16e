"""A payment names the customer whom the gateway was asked to charge: the tenant may be another
customer there when the gateway is asked what became of it."""

from __future__ import annotations

from alembic import op

revision = "0092"
down_revision = "0091"


def upgrade() -> None:
    op.execute("ALTER TABLE payments ADD COLUMN IF NOT EXISTS gateway_customer_id text")
