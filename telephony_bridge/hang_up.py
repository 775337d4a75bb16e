"""Hangs up a line at its carrier. One that the carrier leaves open is left to ``LostLegs``."""

from __future__ import annotations

import asyncio
from typing import Protocol
from uuid import UUID

import structlog
from redis.asyncio import Redis

from carriers.api import CarrierApi, CarrierProblem
from contracts import redis_names
from contracts.dialing import LostLeg
from link.connection import LINK_ERRORS

TRIES = 3
PAUSE_SECONDS = 0.5
STREAM_LENGTH = 10_000

_log = structlog.get_logger(__name__)


class OpenLine(Protocol):
    """A call at a carrier: a ``LegTicket``, or a leg that we dialed."""

    @property
    def attempt_id(self) -> UUID: ...

    @property
    def call_id(self) -> UUID: ...

    @property
    def account_id(self) -> UUID: ...

    @property
    def carrier_call_id(self) -> str: ...


async def hang_up(redis: Redis, api: CarrierApi, line: OpenLine) -> CarrierProblem | None:
    """Ask the carrier more than once. One that is over already is no problem.

    Returns:
        Why the carrier has not hung up yet. Any bridge goes on asking it.
    """
    for tries_left in reversed(range(TRIES)):
        try:
            await api.hang_up(line.carrier_call_id)
        except CarrierProblem as problem:
            _log.warning(
                "carrier_did_not_hang_up", call_id=str(line.call_id), error=problem.message
            )
            if not tries_left:
                await leave_open(redis, line)
                return problem
        else:
            return None
        await asyncio.sleep(PAUSE_SECONDS)
    return None


async def leave_open(redis: Redis, line: OpenLine) -> None:
    """Let the bridges ask for minutes. Never raises."""
    leg = LostLeg(
        attempt_id=line.attempt_id,
        call_id=line.call_id,
        account_id=line.account_id,
        carrier_call_id=line.carrier_call_id,
    )
    try:
        await redis.xadd(
            redis_names.LOST_LEGS,
            {redis_names.FIELD: leg.model_dump_json()},
            maxlen=STREAM_LENGTH,
        )
    except LINK_ERRORS as error:
        _log.error("line_left_open", call_id=str(line.call_id), error=str(error))
