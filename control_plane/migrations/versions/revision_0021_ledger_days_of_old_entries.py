"""The daily totals of the entries that were posted before there were any."""

from __future__ import annotations

from alembic import op

from control_plane.platform.database import SYSTEM_ROLE

revision = "0021"
down_revision = "0020"


def upgrade() -> None:
    """Add what the totals lack. One statement sees one moment, so entries that are posted meanwhile
    are counted once, by their trigger. The current day comes last, because charges wait for its
    rows from then on."""
    op.execute(f"GRANT INSERT, UPDATE ON ledger_days TO {SYSTEM_ROLE}")
    # Row-level security applies to the owner, who must see every entry here.
    op.execute(f"SET LOCAL ROLE {SYSTEM_ROLE}")
    op.execute(
        """
        INSERT INTO ledger_days AS kept
            (tenant_id, day, entries, free_micros, purchased_micros, charged_micros)
        SELECT tenant_id, day, sum(entries), sum(free_micros), sum(purchased_micros),
            sum(charged_micros)
        FROM (
            SELECT tenant_id, (created_at AT TIME ZONE 'UTC')::date AS day, count(*) AS entries,
                sum(free_micros) AS free_micros, sum(purchased_micros) AS purchased_micros,
                coalesce(sum(-free_micros - purchased_micros)
                    FILTER (WHERE transaction_type = 'charge'), 0) AS charged_micros
            FROM ledger_entries GROUP BY 1, 2
            UNION ALL
            SELECT tenant_id, day, -entries, -free_micros, -purchased_micros, -charged_micros
            FROM ledger_days
        ) AS lacking
        GROUP BY tenant_id, day HAVING sum(entries) <> 0
        ORDER BY day
        ON CONFLICT (tenant_id, day) DO UPDATE SET
            entries = kept.entries + excluded.entries,
            free_micros = kept.free_micros + excluded.free_micros,
            purchased_micros = kept.purchased_micros + excluded.purchased_micros,
            charged_micros = kept.charged_micros + excluded.charged_micros
        """
    )
    op.execute("RESET ROLE")
    op.execute(f"REVOKE INSERT, UPDATE ON ledger_days FROM {SYSTEM_ROLE}")
