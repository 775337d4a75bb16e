"""Rows that a group of events adds, inserted together.

Segments and latencies are most of what workers report, so they are not inserted one by one.
"""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass, field
from typing import Any
from uuid import UUID, uuid4

from sqlalchemy.ext.asyncio import AsyncSession

from contracts.events import TranscriptSegment, TurnMeasured
from control_plane.calling.calls.events import repository
from control_plane.calling.calls.models import Call, Segment, TurnLatencies
from control_plane.platform.database import Base, storable


@dataclass
class PendingRows:
    """The rows are lost unless ``insert`` is called before the transaction ends."""

    _rows: dict[type[Base], list[dict[str, Any]]] = field(default_factory=lambda: defaultdict(list))

    def add_segment(self, call: Call, segment: TranscriptSegment) -> None:
        self._rows[Segment].append(
            _identifiers(call)
            | segment.model_dump(exclude={"type", "text"})
            | {"id": uuid4(), "text": storable(segment.text)}
        )

    def add_latencies(self, call: Call, turn: TurnMeasured) -> None:
        self._rows[TurnLatencies].append(_identifiers(call) | turn.model_dump(exclude={"type"}))

    async def insert(self, session: AsyncSession) -> None:
        """Insert the rows; one whose key is taken is ignored."""
        for model, rows in self._rows.items():
            await repository.insert_rows(session, model, rows)
        self._rows.clear()


def _identifiers(call: Call) -> dict[str, UUID]:
    return {"call_id": call.id, "tenant_id": call.tenant_id}
