"""Transcripts, event logs and webhook events are partitioned by month.

The previous release's processes go on: the names of tables and columns stay, and the calls that
they make have random ids, so their rows go into the old tables, which are the first partitions.
"""

from __future__ import annotations

from datetime import UTC, datetime

from alembic import op

from control_plane.migrations.partitions import (
    Partitioned,
    create_partition_maker,
    first_month_of,
    partition_online,
)
from control_plane.migrations.tenancy import APPEND_ONLY, READ_WRITE
from control_plane.platform.database import SYSTEM_ROLE

revision = "0028"
down_revision = "0027"

TABLES = (
    Partitioned("transcript_segments", "call_id", "call_id, sequence", READ_WRITE),
    Partitioned("turn_latencies", "call_id", "call_id, sequence", READ_WRITE),
    Partitioned(
        "call_log_entries",
        "call_id",
        "id",
        APPEND_ONLY,
        indexes=("(call_id, position)",),
        sequence_column="position",
    ),
    Partitioned(
        "outbox_events",
        "occurred_at",
        "id",
        READ_WRITE,
        indexes=("(tenant_id, occurred_at)", "((data ->> 'call_id'))"),
    ),
)


def upgrade() -> None:
    now = datetime.now(UTC)
    create_partition_maker(TABLES)
    for table in TABLES:
        partition_online(table, first_month_of(table, now))
    op.execute(f"GRANT DELETE ON call_log_entries TO {SYSTEM_ROLE}")
