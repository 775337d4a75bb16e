"""Reports of a bridge that is not there."""

from __future__ import annotations

from datetime import UTC, datetime
from uuid import UUID

from contracts import redis_names
from contracts.dial_outcome import DialOutcome
from contracts.dialing import DialReport, LegStage
from tests.control_plane.calling.dialing.phone import Phones


async def say(
    phones: Phones,
    call_id: UUID,
    stage: LegStage,
    outcome: DialOutcome | None = None,
    detail: str | None = None,
) -> None:
    """Report as a bridge does that dies at once."""
    job = await phones.job(call_id)
    assert job.attempt_id is not None
    report = DialReport(
        attempt_id=job.attempt_id,
        call_id=job.call_id,
        tenant_id=job.tenant_id,
        participant_id=job.participant_id,
        bridge_id="bridge-that-died",
        occurred_at=datetime.now(UTC),
        stage=stage,
        outcome=outcome,
        detail=detail,
    )
    await phones.redis.xadd(
        redis_names.DIAL_REPORT_STREAM, {redis_names.FIELD: report.model_dump_json()}
    )
