"""Rows that a group of events adds, inserted with one statement per table and one parameter each.

What a call says and how fast it says it is most of what workers report: a statement for each row
would cost more than all the rest.
"""

from __future__ import annotations

import json
from collections import defaultdict
from dataclasses import dataclass, field
from functools import cache
from typing import Any
from uuid import uuid4

from sqlalchemy import TextClause, text
from sqlalchemy.ext.asyncio import AsyncSession

from contracts.events import TranscriptSegment, TurnMeasured
from control_plane.calling.calls.models import Call, Segment, TurnLatencies
from control_plane.platform.database import Base, storable

_Rows = list[dict[str, Any]]


@dataclass
class GatheredRows:
    """Whoever gathers calls ``insert`` before the transaction ends."""

    _rows: dict[type[Base], _Rows] = field(default_factory=lambda: defaultdict(list))

    def add_segment(self, call: Call, said: TranscriptSegment) -> None:
        self._add(
            Segment,
            call,
            said.model_dump(exclude={"type", "text"})
            | {"id": str(uuid4()), "text": storable(said.text)},
        )

    def add_latencies(self, call: Call, turn: TurnMeasured) -> None:
        self._add(TurnLatencies, call, turn.model_dump(exclude={"type"}))

    def _add(self, model: type[Base], call: Call, values: dict[str, Any]) -> None:
        whose = {"call_id": str(call.id), "tenant_id": str(call.tenant_id)}
        self._rows[model].append(whose | values)

    async def insert(self, session: AsyncSession) -> None:
        """Insert everything that was gathered; a row whose key is taken is left as it is."""
        for model, rows in self._rows.items():
            await session.execute(_insert(model, tuple(rows[0])), {"rows": json.dumps(rows)})
        self._rows.clear()


@cache
def _insert(model: type[Base], columns: tuple[str, ...]) -> TextClause:
    """Names come from the models, never from outside."""
    table, names = model.__tablename__, ", ".join(columns)
    return text(
        f"INSERT INTO {table} ({names}) SELECT {names}"
        f" FROM jsonb_populate_recordset(NULL::{table}, CAST(:rows AS jsonb))"
        " ON CONFLICT DO NOTHING"
    )
