"""The control plane's side of the link to the telephony bridges."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from uuid import UUID

import structlog
from pydantic import ValidationError
from redis.asyncio import Redis

from contracts import redis_names
from contracts.dial_outcome import DialOutcome
from contracts.dialing import DialReport, DialRequest, HangUpLeg, LegStage, LostLeg
from contracts.versions import read_json

STREAM_LENGTH = 10_000
"""Roughly how many requests or commands a stream keeps."""
COMMAND_STREAM_TTL_SECONDS = 3600
WITHDRAWN_SECONDS = 600
"""How long a withdrawn attempt is remembered: far longer than bridges may still take it."""
NOBODY = "control-plane"
"""The ``bridge_id`` of an attempt that was withdrawn before a bridge took it."""

_log = structlog.get_logger(__name__)


async def request_dial(redis: Redis, request: DialRequest) -> None:
    """Offer one attempt to the bridges of its carrier.

    Raises:
        RedisError: it may or may not have been offered; offering it again is harmless.
    """
    await redis.xadd(
        redis_names.dial_requests(request.carrier),
        {redis_names.FIELD: request.model_dump_json()},
        maxlen=STREAM_LENGTH,
    )


async def hang_up_leg(redis: Redis, bridge_id: str, attempt_id: UUID) -> None:
    """Ask the bridge to end an attempt. Asking again is harmless.

    Raises:
        RedisError: it may or may not have been asked.
    """
    stream = redis_names.bridge_commands(bridge_id)
    async with redis.pipeline(transaction=False) as pipe:
        pipe.xadd(
            stream,
            {redis_names.FIELD: HangUpLeg(attempt_id=attempt_id).model_dump_json()},
            maxlen=STREAM_LENGTH,
        )
        pipe.expire(stream, COMMAND_STREAM_TTL_SECONDS)
        await pipe.execute()


async def hang_up_lost_leg(redis: Redis, leg: LostLeg) -> None:
    """Have any bridge close a leg at its carrier, because its own bridge has died. Asking again is
    harmless.

    Raises:
        RedisError: it may or may not have been asked.
    """
    await redis.xadd(
        redis_names.LOST_LEGS,
        {redis_names.FIELD: leg.model_dump_json()},
        maxlen=STREAM_LENGTH,
    )


async def withdraw(
    redis: Redis,
    attempt_id: UUID,
    call_id: UUID,
    tenant_id: UUID,
    participant_id: UUID,
    at: datetime,
) -> None:
    """Keep bridges from taking the attempt. A bridge that has taken it already keeps it.

    The withdrawal is the attempt's last report, stored where bridges store theirs.

    Raises:
        RedisError: it may or may not have been withdrawn; withdrawing it again is harmless.
    """
    mark = DialReport(
        attempt_id=attempt_id,
        call_id=call_id,
        tenant_id=tenant_id,
        participant_id=participant_id,
        bridge_id=NOBODY,
        occurred_at=at,
        stage=LegStage.ENDED,
        outcome=DialOutcome.CANCELED,
    )
    await redis.set(
        redis_names.dial_attempt(attempt_id),
        mark.model_dump_json(),
        nx=True,
        ex=WITHDRAWN_SECONDS,
    )


async def newest_reports(redis: Redis, attempt_ids: Sequence[UUID]) -> dict[UUID, DialReport]:
    """The newest report of each attempt that a bridge answers for, or that was withdrawn."""
    if not attempt_ids:
        return {}
    documents = await redis.mget([redis_names.dial_attempt(each) for each in attempt_ids])
    parsed = (read_report(document) for document in documents if document is not None)
    return {report.attempt_id: report for report in parsed if report is not None}


def read_report(document: str | bytes) -> DialReport | None:
    """``None`` if it cannot be parsed."""
    try:
        return read_json(DialReport, document)
    except ValidationError:
        _log.exception("dial_report_unreadable", document=str(document[:500]))
        return None
