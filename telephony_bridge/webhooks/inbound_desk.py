"""Asks the control plane what becomes of a call to one of our numbers."""

from __future__ import annotations

import asyncio
import time
from datetime import UTC, datetime, timedelta
from uuid import UUID, uuid4

import structlog
from pydantic import ValidationError
from redis.asyncio import Redis

from carriers.call_events import CallArrived
from contracts import redis_names
from contracts.carrier_accounts import CarrierAccount
from contracts.inbound_calls import (
    ANSWER_SECONDS,
    InboundAdmitted,
    InboundCall,
    InboundRefusal,
    InboundRefused,
    InboundReply,
)
from contracts.versions import fault, read_json
from link.connection import LINK_ERRORS

STREAM_LENGTH = 10_000
ASK_AGAIN_SECONDS = 0.05
LEAST_BLOCK_SECONDS = 0.1
"""0 would mean for ever."""
_log = structlog.get_logger(__name__)


class InboundDesk:
    """
    Args:
        redis: a client that allows for a block of ``ANSWER_SECONDS``.
    """

    def __init__(self, redis: Redis, bridge_id: str) -> None:
        self._redis = redis
        self._bridge_id = bridge_id

    async def ask(
        self, account: CarrierAccount, call: CallArrived
    ) -> InboundAdmitted | InboundRefused:
        """The control plane's answer; a refusal if none comes in time, or if the carrier's words
        cannot be passed on. The same call of the carrier is always answered with the same call of
        ours."""
        try:
            request = self._request(account, call)
        except ValidationError as error:
            return _unavailable(f"the carrier's request cannot be passed on: {fault(error)}")
        answer_by = time.monotonic() + ANSWER_SECONDS
        while True:
            try:
                await self._redis.xadd(
                    redis_names.INBOUND_CALLS,
                    {redis_names.FIELD: request.model_dump_json()},
                    maxlen=STREAM_LENGTH,
                )
                return await self._answer(request.request_id, answer_by)
            except LINK_ERRORS as error:
                # A connection that was idle while Redis was away breaks only when it is used.
                if time.monotonic() + ASK_AGAIN_SECONDS >= answer_by:
                    return _unavailable(f"Redis is away: {error}")
            await asyncio.sleep(ASK_AGAIN_SECONDS)

    def _request(self, account: CarrierAccount, call: CallArrived) -> InboundCall:
        return InboundCall(
            request_id=uuid4(),
            account_id=account.account_id,
            provider=account.provider,
            carrier_call_id=call.call_id,
            from_number=call.from_number,
            to_number=call.to_number,
            bridge_id=self._bridge_id,
            answer_before=datetime.now(UTC) + timedelta(seconds=ANSWER_SECONDS),
        )

    async def _answer(self, request_id: UUID, answer_by: float) -> InboundAdmitted | InboundRefused:
        seconds = max(LEAST_BLOCK_SECONDS, answer_by - time.monotonic())
        pushed = await self._redis.blpop([redis_names.reply(request_id)], timeout=seconds)
        if pushed is None:
            return _unavailable("the control plane gave no answer in time")
        try:
            return read_json(InboundReply, pushed[1]).body
        except ValidationError as error:
            _log.error("inbound_reply_unreadable", fault=fault(error))
            return _unavailable("the control plane's answer could not be read")


def _unavailable(detail: str) -> InboundRefused:
    return InboundRefused(kind=InboundRefusal.UNAVAILABLE, detail=detail)
