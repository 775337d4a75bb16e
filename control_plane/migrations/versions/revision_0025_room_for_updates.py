"""Room in the pages of tables whose rows change during a call.

An update that finds room in its row's page adds no entries to the table's indexes (HOT). It counts
for new pages; nothing is rewritten. ``python -m bench.hot_updates`` shows the effect.
"""

from __future__ import annotations

from alembic import op

revision = "0025"
down_revision = "0024"

PERCENT_FILLED = 80
CHANGING = ("calls", "call_participants", "call_reserves", "dialing_jobs")


def upgrade() -> None:
    for table in CHANGING:
        op.execute(f"ALTER TABLE {table} SET (fillfactor = {PERCENT_FILLED})")
