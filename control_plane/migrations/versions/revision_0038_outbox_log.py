"""The outbox is a log: facts have safe positions, and each day has a partition.

The previous release's processes go on: they add facts as before, and read none.
"""

from __future__ import annotations

from control_plane.migrations.outbox_log import (
    create_cursors,
    create_day_functions,
    is_a_log,
    replace_outbox,
)
from control_plane.migrations.partitions import create_partition_maker
from control_plane.migrations.versions import (
    revision_0028_partitions,
    revision_0029_ledger_partitions,
)

revision = "0038"
down_revision = "0037"


def upgrade() -> None:
    by_month = (*revision_0028_partitions.TABLES, revision_0029_ledger_partitions.LEDGER)
    create_partition_maker([table for table in by_month if table.table != "outbox_events"])
    create_day_functions()
    create_cursors()
    if not is_a_log():
        replace_outbox()
