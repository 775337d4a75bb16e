"""Reads this worker's command stream and hands each command to the call that it names."""

from __future__ import annotations

import asyncio
from typing import Literal
from uuid import UUID

import structlog
from pydantic import ValidationError
from redis.asyncio import Redis

from contracts import redis_names
from contracts.commands import (
    Command,
    CommandRefused,
    CommandReply,
    EndCall,
    ExtendFunds,
    LegAnswered,
    MachineReported,
    OfferLeg,
    PhoneNotReached,
    ReleaseCall,
    RemoveLeg,
)
from contracts.versions import read_json
from link.connection import LINK_ERRORS
from link.persistent_loop import run_persistently
from link.streams import newest_position, read_after
from runtime.call.call import Call
from runtime.call.end_cause import Ending
from runtime.link.redis_client import BLOCK_MS
from runtime.media.network.media_network import NoFreePort
from runtime.media.room import BadOffer, RoomClosed
from runtime.running_calls import RunningCalls
from runtime.slots import NoFreeSlot

logger = structlog.get_logger(__name__)

REPLY_TTL_SECONDS = 30
ARRIVAL_SECONDS = 3.0
"""How long a command waits for its call. A client may send one as soon as the call's lease is
taken, which is before the call's journal is on the disk."""


class CommandReader:
    """Reads the commands that are sent after ``run`` starts. Earlier ones were for the calls of a
    process that has died."""

    def __init__(self, redis: Redis, worker_id: str, calls: RunningCalls) -> None:
        self._redis = redis
        self._stream = redis_names.worker_commands(worker_id)
        self._calls = calls
        self._position: str | None = None

    async def run(self) -> None:
        """Read until cancelled, through every outage of Redis."""
        async with asyncio.TaskGroup() as early_commands:
            await run_persistently("commands", lambda: self._read(early_commands))

    async def _read(self, early_commands: asyncio.TaskGroup) -> None:
        if self._position is None:
            self._position = await newest_position(self._redis, self._stream)
        found = await read_after(self._redis, self._stream, self._position, block_ms=BLOCK_MS)
        for entry in found:
            self._position = entry.entry_id
            await self._obey(entry.document, early_commands)
        if found:
            await self._redis.xtrim(self._stream, minid=self._position, approximate=True)

    async def _obey(self, document: str, early_commands: asyncio.TaskGroup) -> None:
        try:
            command = read_json(Command, document)
        except ValidationError as error:
            logger.error("commands.unreadable", error=str(error))
            return
        if (call := self._calls.find(command.call_id)) is not None:
            await self._carry_out(command, call)
        else:
            early_commands.create_task(self._carry_out_once_here(command))

    async def _carry_out_once_here(self, command: Command) -> None:
        if (call := await self._calls.wait_for(command.call_id, ARRIVAL_SECONDS)) is not None:
            await self._carry_out(command, call)
            return
        _log_of(command).info("commands.call_not_here")
        await self._refuse_offer(command, "call_not_here", "this worker does not run the call")

    async def _carry_out(self, command: Command, call: Call) -> None:
        _log_of(command).info("commands.received")
        try:
            match command.body:
                case EndCall(end_reason=end_reason, farewell=farewell):
                    call.end(Ending.commanded(end_reason, farewell))
                case ExtendFunds(funded_until_ms=until_ms, balance_is_spent=is_spent):
                    call.extend_funds(until_ms, balance_is_spent=is_spent)
                case MachineReported(participant_id=participant_id, records=records):
                    call.carrier_reports_machine(participant_id, records=records)
                case OfferLeg() as offer:
                    call.spawn(self._answer(call, offer))
                case PhoneNotReached(participant_id=participant_id, why=why):
                    call.transfers.not_reached(participant_id, why)
                case ReleaseCall():
                    call.release()
                case RemoveLeg(participant_id=participant_id, lost_carrier=lost_carrier):
                    call.spawn(call.remove_leg(participant_id, lost_carrier))
        except RoomClosed as error:
            await self._refuse_offer(command, "room_closed", str(error))

    async def _answer(self, call: Call, offer: OfferLeg) -> None:
        body: LegAnswered | CommandRefused
        try:
            answer = await call.answer_offer(offer.participant_id, offer.identity, offer.sdp)
            body = LegAnswered(sdp=answer)
        except BadOffer as error:
            body = CommandRefused(code="bad_offer", detail=str(error))
        except RoomClosed as error:
            body = CommandRefused(code="room_closed", detail=str(error))
        except NoFreeSlot as error:
            logger.info("commands.no_free_slot", call_id=str(call.plan.call_id))
            body = CommandRefused(code="no_free_slot", detail=str(error))
        except NoFreePort as error:
            logger.error("commands.no_free_port", call_id=str(call.plan.call_id), error=str(error))
            body = CommandRefused(code="no_free_port", detail=str(error))
        except (asyncio.CancelledError, Exception):
            # The call has ended, or ends with this, and the client that made the offer waits for a
            # reply.
            refused = CommandRefused(code="room_closed", detail="the call has ended")
            await self._reply(offer.reply_to, refused)
            raise
        await self._reply(offer.reply_to, body)

    async def _refuse_offer(
        self, command: Command, code: Literal["call_not_here", "room_closed"], detail: str
    ) -> None:
        if isinstance(command.body, OfferLeg):
            await self._reply(command.body.reply_to, CommandRefused(code=code, detail=detail))

    async def _reply(self, request_id: UUID, body: LegAnswered | CommandRefused) -> None:
        key = redis_names.reply(request_id)
        reply = CommandReply(request_id=request_id, body=body)
        pipeline = self._redis.pipeline(transaction=True)
        pipeline.lpush(key, reply.model_dump_json())
        pipeline.expire(key, REPLY_TTL_SECONDS)
        try:
            await pipeline.execute()
        except LINK_ERRORS as error:
            logger.warning("commands.reply_lost", request_id=str(request_id), error=str(error))


def _log_of(command: Command) -> structlog.stdlib.BoundLogger:
    bound: structlog.stdlib.BoundLogger = logger.bind(
        call_id=str(command.call_id), command=command.body.type
    )
    return bound
