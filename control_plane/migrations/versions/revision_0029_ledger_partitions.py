"""The ledger is partitioned by month; a narrow table keeps its references unique.

PostgreSQL keeps something unique across partitions only together with the time, and a reference
must be unique without it. So each entry's reference is added to ``ledger_references``, which is not
partitioned: the second entry with a reference is refused there.

The previous release's processes go on: they post entries as before, and nothing of theirs names the
constraint that refuses an entry.
"""

from __future__ import annotations

from datetime import UTC, datetime

import sqlalchemy as sa
from alembic import op

from control_plane.migrations.online import outside_transaction, release_locks
from control_plane.migrations.partitions import (
    Partitioned,
    create_partition_maker,
    first_month_of,
    partition_online,
)
from control_plane.migrations.tenancy import (
    APPEND_ONLY,
    READ_ONLY,
    confine_to_tenant,
    make_append_only,
)
from control_plane.migrations.versions import revision_0028_partitions
from control_plane.platform.database import APP_ROLE, SYSTEM_ROLE

revision = "0029"
down_revision = "0028"


def upgrade() -> None:
    if not sa.inspect(op.get_bind()).has_table("ledger_references"):
        _create_references()
    release_locks()
    # Waits for transactions that have posted an entry already, so that none is left out below.
    _keep_references("ledger_entries")
    release_locks()
    _add_references_of_old_entries()
    create_partition_maker((*revision_0028_partitions.TABLES, LEDGER))
    partition_online(LEDGER, first_month_of(LEDGER, datetime.now(UTC)))


def _create_references() -> None:
    op.create_table(
        "ledger_references",
        sa.Column("tenant_id", sa.Uuid, sa.ForeignKey("tenants.id"), primary_key=True),
        sa.Column("reference", sa.Text, primary_key=True),
        sa.Column("entry_id", sa.Uuid, nullable=False),
    )
    confine_to_tenant("ledger_references", privileges=READ_ONLY)
    # Row-level security applies to the owner, as whom the trigger runs.
    op.execute(
        "CREATE POLICY ledger_access ON ledger_references TO CURRENT_USER"
        " USING (true) WITH CHECK (true)"
    )
    op.execute(
        """
        CREATE FUNCTION switchboard_keep_references() RETURNS trigger
        LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp AS $$
        BEGIN
            INSERT INTO ledger_references (tenant_id, reference, entry_id)
            SELECT tenant_id, reference, id FROM added ORDER BY tenant_id, reference;
            RETURN NULL;
        END $$
        """
    )


def _keep_references(table: str) -> None:
    op.execute(
        f"""
        CREATE OR REPLACE TRIGGER keep_references AFTER INSERT ON {table}
        REFERENCING NEW TABLE AS added
        FOR EACH STATEMENT EXECUTE FUNCTION switchboard_keep_references()
        """
    )


def _add_references_of_old_entries() -> None:
    # Looking for what is missing is much faster than adding, if this was done before.
    with outside_transaction():
        op.execute(f"GRANT INSERT ON ledger_references TO {SYSTEM_ROLE}")
        # Row-level security applies to the owner, who must see every entry here.
        op.execute(f"SET ROLE {SYSTEM_ROLE}")
        op.execute(
            """
            INSERT INTO ledger_references (tenant_id, reference, entry_id)
            SELECT tenant_id, reference, id FROM ledger_entries AS entry
            WHERE NOT EXISTS (
                SELECT FROM ledger_references AS kept
                WHERE kept.tenant_id = entry.tenant_id AND kept.reference = entry.reference
            )
            ON CONFLICT DO NOTHING
            """
        )
        op.execute("RESET ROLE")
        op.execute(f"REVOKE INSERT ON ledger_references FROM {SYSTEM_ROLE}")


def _guard(table: str) -> None:
    """What a plain ``ledger_entries`` had (revisions 0002 and 0020), for the partitioned one."""
    make_append_only(table)
    _keep_references(table)
    op.execute(
        f"""
        CREATE TRIGGER post_entries AFTER INSERT ON {table}
        REFERENCING NEW TABLE AS added
        FOR EACH STATEMENT EXECUTE FUNCTION switchboard_post_entries()
        """
    )
    op.execute(
        f"""
        CREATE POLICY charges_only ON {table} AS RESTRICTIVE FOR INSERT TO {APP_ROLE}
        WITH CHECK (
            transaction_type = 'charge' AND free_micros <= 0 AND purchased_micros <= 0
        )
        """
    )


LEDGER = Partitioned(
    "ledger_entries",
    "created_at",
    "id",
    APPEND_ONLY,
    indexes=(
        "(tenant_id, position)",
        # Entries lie in the order of their time, so this index stays tiny.
        "USING brin (created_at) WITH (pages_per_range = 32, autosummarize = on)",
    ),
    sequence_column="position",
    row_triggers=("refuse_change",),
    guard=_guard,
)
