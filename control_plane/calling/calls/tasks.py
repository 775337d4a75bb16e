"""Jobs of calls."""

from __future__ import annotations

from datetime import UTC, datetime
from uuid import UUID

from procrastinate import JobContext, RetryStrategy

from control_plane.calling.calls import repository
from control_plane.calling.calls.ending.provider_cost import provider_cost_micros
from control_plane.platform.job_queue import database_of, job_queue


@job_queue.task(
    name="calls.calculate_provider_cost",
    pass_context=True,
    retry=RetryStrategy(max_attempts=10, exponential_wait=2),
)
async def calculate_provider_cost(context: JobContext, *, tenant_id: str, call_id: str) -> None:
    """Divide a settled call's cost over its providers, if its end has not done so: calls that ended
    under an earlier release left it to this job. Running it again changes nothing."""
    async with database_of(context).system_session() as session:
        call = await repository.locked_call(session, UUID(tenant_id), UUID(call_id))
        if call is None or call.billable_seconds is None or call.provider_cost_calculated_at:
            return
        prices = call.frozen_plan().prices
        call.provider_cost_micros = provider_cost_micros(prices, call.billable_seconds)
        call.provider_cost_calculated_at = datetime.now(UTC)
