"""The other side of each ledger entry: an account of the installation, by tenant and day.

What an entry adds to a tenant's credit, its counter account loses. So the totals of both sides add
up to nothing, for each tenant and day. They are kept by tenant, so that charges of different
tenants do not wait for each other.
"""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

from control_plane.migrations.online import outside_transaction, release_locks
from control_plane.migrations.tenancy import READ_ONLY, confine_to_tenant
from control_plane.platform.database import SYSTEM_ROLE

revision = "0053"
down_revision = "0052"

_COUNTER = """
    coalesce(counter_account, CASE
        WHEN transaction_type = 'charge' THEN 'revenue'
        WHEN transaction_type IN ('topup', 'refund') THEN 'payments'
        WHEN transaction_type = 'dispute' THEN 'disputes'
        WHEN transaction_type IN ('grant', 'bonus', 'expiry') THEN 'promotions'
        ELSE 'corrections' END)
"""


def upgrade() -> None:
    op.execute("ALTER TABLE ledger_entries ADD COLUMN IF NOT EXISTS counter_account text")
    release_locks()
    if not sa.inspect(op.get_bind()).has_table("counter_days"):
        _create_counter_days()
    _keep_counters()
    release_locks()
    _add_counters_of_old_entries()


def _create_counter_days() -> None:
    op.create_table(
        "counter_days",
        sa.Column("tenant_id", sa.Uuid, sa.ForeignKey("tenants.id"), primary_key=True),
        sa.Column("day", sa.Date, primary_key=True),
        sa.Column("counter_account", sa.Text, primary_key=True),
        sa.Column("micros", sa.BigInteger, nullable=False),
        postgresql_with={"fillfactor": 70},
    )
    op.create_index(None, "counter_days", ["day"])
    confine_to_tenant("counter_days", privileges=READ_ONLY)
    # Row-level security applies to the owner, as whom the trigger runs.
    op.execute(
        "CREATE POLICY ledger_access ON counter_days TO CURRENT_USER USING (true) WITH CHECK (true)"
    )


def _keep_counters() -> None:
    op.execute(
        f"""
        CREATE OR REPLACE FUNCTION switchboard_keep_counters() RETURNS trigger
        LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp AS $$
        BEGIN
            INSERT INTO counter_days AS kept (tenant_id, day, counter_account, micros)
            SELECT tenant_id, (created_at AT TIME ZONE 'UTC')::date, {_COUNTER},
                -sum(plan_micros + free_micros + purchased_micros)
            FROM added GROUP BY 1, 2, 3 ORDER BY 1, 2, 3
            ON CONFLICT (tenant_id, day, counter_account)
                DO UPDATE SET micros = kept.micros + excluded.micros;
            RETURN NULL;
        END $$
        """
    )
    # Waits for transactions that have posted an entry already, so that none is left out below.
    op.execute(
        """
        CREATE OR REPLACE TRIGGER keep_counters AFTER INSERT ON ledger_entries
        REFERENCING NEW TABLE AS added
        FOR EACH STATEMENT EXECUTE FUNCTION switchboard_keep_counters()
        """
    )


def _add_counters_of_old_entries() -> None:
    """Add what the totals lack. One statement sees one moment, so entries that are posted meanwhile
    are counted once, by their trigger."""
    with outside_transaction():
        op.execute(f"GRANT INSERT, UPDATE ON counter_days TO {SYSTEM_ROLE}")
        # Row-level security applies to the owner, who must see every entry here.
        op.execute(f"SET ROLE {SYSTEM_ROLE}")
        op.execute(
            f"""
            INSERT INTO counter_days AS kept (tenant_id, day, counter_account, micros)
            SELECT tenant_id, day, account, sum(micros)
            FROM (
                SELECT tenant_id, (created_at AT TIME ZONE 'UTC')::date AS day,
                    {_COUNTER} AS account,
                    -sum(plan_micros + free_micros + purchased_micros) AS micros
                FROM ledger_entries GROUP BY 1, 2, 3
                UNION ALL
                SELECT tenant_id, day, counter_account, -micros FROM counter_days
            ) AS lacking
            GROUP BY 1, 2, 3 HAVING sum(micros) <> 0 ORDER BY 1, 2, 3
            ON CONFLICT (tenant_id, day, counter_account)
                DO UPDATE SET micros = kept.micros + excluded.micros
            """
        )
        op.execute("RESET ROLE")
        op.execute(f"REVOKE INSERT, UPDATE ON counter_days FROM {SYSTEM_ROLE}")
