"""Folding the deltas of call counts into the counts, as long as the jobs process runs."""

from __future__ import annotations

import structlog

from control_plane.calling.calls.queries.call_counts import (
    FOLDED_AT_ONCE,
    fold_deltas,
    has_deltas,
)
from control_plane.platform.database import Database
from control_plane.platform.errors import DatabaseUnavailable
from link.common_beat import until_beat

FOLD_INTERVAL_SECONDS = 5.0
_log = structlog.get_logger(__name__)


async def keep_folding(database: Database) -> None:
    """Run ``fold_deltas`` until cancelled. While nothing happens, a look is one statement."""
    while True:
        try:
            folded = await _fold(database)
        except DatabaseUnavailable:
            _log.warning("folding_waits_for_database")
            folded = 0
        if folded < FOLDED_AT_ONCE:
            await until_beat(FOLD_INTERVAL_SECONDS)


async def _fold(database: Database) -> int:
    async with database.system_statements() as session:
        if not await has_deltas(session):
            return 0
    async with database.system_session() as session:
        return await fold_deltas(session)
