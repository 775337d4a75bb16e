"""The entries of the ledger that charge no call have an index of their own. They are few among
charges, and the audit of payments compares all of them."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

from control_plane.migrations.online import create_index_online, release_locks

revision = "0087"
down_revision = "0086"

NAME = "ix_ledger_entries_no_charge"
COLUMNS = ("tenant_id", "reference", "purchased_micros")
WHERE = "transaction_type <> 'charge'"


def upgrade() -> None:
    # Partitions that are made from here on have the index.
    op.execute(
        f"CREATE INDEX IF NOT EXISTS {NAME} ON ONLY ledger_entries ({', '.join(COLUMNS)})"
        f" WHERE {WHERE}"
    )
    release_locks()
    for partition in _partitions_without_it():
        name = f"ix_{partition}_no_charge"
        create_index_online(name, partition, COLUMNS, where=WHERE)
        op.execute(f"ALTER INDEX {NAME} ATTACH PARTITION {name}")
        release_locks()


def _partitions_without_it() -> list[str]:
    query = sa.text(
        """
        SELECT partition.relid::text FROM pg_partition_tree('ledger_entries') AS partition
        WHERE partition.isleaf AND NOT EXISTS (
            SELECT FROM pg_partition_tree(:name) AS built
            JOIN pg_index ON pg_index.indexrelid = built.relid
            WHERE pg_index.indrelid = partition.relid AND pg_index.indisvalid AND built.isleaf
        )
        ORDER BY 1
        """
    )
    return list(op.get_bind().scalars(query, {"name": NAME}))
