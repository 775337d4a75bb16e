"""What follows the end of a call, in the transaction that ends it, and what late facts change."""

from __future__ import annotations

from datetime import UTC, datetime

from sqlalchemy.ext.asyncio import AsyncSession

from contracts.call_plan import PriceRow
from control_plane.calling.calls.ending.provider_cost import provider_cost_micros
from control_plane.calling.calls.models import Call
from control_plane.calling.intelligence.scheduling import (
    schedule_at_end,
    schedule_for_late_segments,
)
from control_plane.calling.recordings.finishing import finish_recording_of


async def begin_after_call(session: AsyncSession, call: Call) -> None:
    """``call`` is over and settled, its row locked, its plan loaded."""
    prices = [PriceRow.model_validate(row) for row in call.plan["prices"]]
    call.provider_cost_micros = provider_cost_micros(prices, call.billable_seconds or 0)
    call.provider_cost_calculated_at = datetime.now(UTC)
    await schedule_at_end(session, call)
    await finish_recording_of(session, call)


async def note_late_words(session: AsyncSession, call: Call) -> None:
    """Something that was said, or understood, became known after ``call`` was over.

    Its row is locked, its plan loaded."""
    await schedule_for_late_segments(session, call)
