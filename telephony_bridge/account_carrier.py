"""Dials through the carriers' accounts, and hears from their webhooks how far each call is."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from typing import NoReturn
from urllib.parse import urlencode
from uuid import UUID

import structlog
from pydantic import BaseModel, ConfigDict, ValidationError
from redis.asyncio import Redis

from carriers.account import CarrierName
from carriers.api import (
    CarrierProblem,
    Dial,
    DialRefused,
    MachineDetection,
    ProblemKind,
)
from carriers.call_events import StageReached
from contracts.carrier_accounts import status_url, voice_url
from contracts.dial_outcome import DialOutcome
from contracts.dialing import DialRequest, LegStage
from contracts.versions import read_json
from link.connection import LINK_ERRORS
from link.streams import BEFORE_ALL, read_after
from telephony_bridge.carrier import Answered, CarrierRefused, Ended, LegState, Ringing
from telephony_bridge.hang_up import hang_up
from telephony_bridge.webhooks.accounts import Accounts, OpenAccount

ATTEMPT_FIELD = "attempt"
"""The parameter of our webhook addresses that names the attempt."""
DIALED_MARGIN_SECONDS = 7_500
"""How long a dialed call is remembered after its time to ring: longer than any call lasts."""
STATUS_STREAM_LENGTH = 1_000
STATUS_STREAM_TTL_SECONDS = 3_600
BLOCK_MS = 1_000

_log = structlog.get_logger(__name__)
_FROZEN = ConfigDict(frozen=True, extra="forbid")


class DialedCall(BaseModel):
    """Which replica of the bridge has dialed an attempt, kept in Redis for the others: a carrier's
    webhook may reach any of them."""

    model_config = _FROZEN
    version: int = 1
    bridge_id: str
    request: DialRequest


class DialedStage(BaseModel):
    """From the replica that got a webhook to the one that has dialed."""

    model_config = _FROZEN
    version: int = 1
    attempt_id: UUID
    stage: LegStage
    outcome: DialOutcome | None = None
    detail: str | None = None


class DialedLegs:
    """The legs that this replica has dialed, and the way to those of the others."""

    def __init__(self, redis: Redis, bridge_id: str) -> None:
        self.redis = redis
        self._bridge_id = bridge_id
        self._legs: dict[UUID, AccountLeg] = {}
        self._position = BEFORE_ALL

    async def remember(self, request: DialRequest) -> None:
        """Raises ``RedisError`` or ``OSError``: other replicas could not answer for the call."""
        document = DialedCall(bridge_id=self._bridge_id, request=request).model_dump_json()
        seconds = request.ring_timeout_seconds + DIALED_MARGIN_SECONDS
        await self.redis.set(_dialed_key(request.attempt_id), document, ex=seconds)

    async def find(self, attempt_id: UUID) -> DialedCall | None:
        """The call that was dialed for an attempt, by whichever replica.

        Raises:
            RedisError, OSError: Redis is away.
        """
        document = await self.redis.get(_dialed_key(attempt_id))
        if document is None:
            return None
        try:
            return read_json(DialedCall, document)
        except ValidationError:
            _log.exception("dialed_call_unreadable", attempt_id=str(attempt_id))
            return None

    async def note_placed(self, attempt_id: UUID, carrier_call_id: str) -> None:
        """The carrier's own id of an attempt, so that any replica can hang it up.

        Raises:
            RedisError, OSError: Redis is away.
        """
        key = _placed_key(attempt_id)
        await self.redis.set(key, carrier_call_id, ex=DIALED_MARGIN_SECONDS)

    async def placed(self, attempt_id: UUID) -> str | None:
        """The carrier's own id of an attempt, of whichever replica.

        Raises:
            RedisError, OSError: Redis is away.
        """
        found = await self.redis.get(_placed_key(attempt_id))
        return None if found is None else str(found)

    async def give_up(self, attempt_id: UUID) -> None:
        """Nobody waits for the call any more, but its carrier may go on with it: nobody knows
        whether it was placed, or it was not hung up.

        Raises:
            RedisError, OSError: Redis is away.
        """
        await self.redis.set(_given_up_key(attempt_id), "1", ex=DIALED_MARGIN_SECONDS)

    async def was_given_up(self, attempt_id: UUID) -> bool:
        """By whichever replica.

        Raises:
            RedisError, OSError: Redis is away.
        """
        return bool(await self.redis.exists(_given_up_key(attempt_id)))

    def has(self, attempt_id: UUID) -> bool:
        """Whether this replica follows the attempt."""
        return attempt_id in self._legs

    def add(self, attempt_id: UUID, leg: AccountLeg) -> None:
        self._legs[attempt_id] = leg

    def remove(self, attempt_id: UUID) -> None:
        self._legs.pop(attempt_id, None)

    async def tell(self, dialed: DialedCall, reached: StageReached) -> None:
        """A carrier reports on a dialed call. If another replica has dialed it, it is told.

        Raises:
            RedisError, OSError: Redis is away.
        """
        told = DialedStage(
            attempt_id=dialed.request.attempt_id,
            stage=reached.stage,
            outcome=reached.outcome,
            detail=_shown(reached),
        )
        if (leg := self._legs.get(told.attempt_id)) is not None:
            leg.carrier_call_id = leg.carrier_call_id or reached.call_id
            leg.reached(told)
            return
        stream = _status_stream(dialed.bridge_id)
        async with self.redis.pipeline(transaction=False) as pipe:
            pipe.xadd(stream, {"json": told.model_dump_json()}, maxlen=STATUS_STREAM_LENGTH)
            pipe.expire(stream, STATUS_STREAM_TTL_SECONDS)
            # That replica may have died before it knew the id.
            pipe.set(_placed_key(told.attempt_id), reached.call_id, ex=DIALED_MARGIN_SECONDS)
            await pipe.execute()

    async def read_told(self) -> None:
        """Take what other replicas have told this one.

        Raises:
            RedisError, OSError: Redis is away.
        """
        stream = _status_stream(self._bridge_id)
        for entry in await read_after(self.redis, stream, self._position, block_ms=BLOCK_MS):
            self._position = entry.entry_id
            try:
                told = read_json(DialedStage, entry.document)
            except ValidationError:
                _log.exception("dialed_stage_unreadable", document=entry.document[:500])
                continue
            if (leg := self._legs.get(told.attempt_id)) is not None:
                leg.reached(told)


class AccountCarrier:
    """Implements ``telephony_bridge.carrier.Carrier`` for the accounts at one carrier."""

    def __init__(
        self, name: CarrierName, accounts: Accounts, legs: DialedLegs, public_url: str
    ) -> None:
        self._name = name
        self._accounts = accounts
        self._legs = legs
        self._public_url = public_url

    @property
    def name(self) -> str:
        return self._name.value

    async def dial(self, request: DialRequest) -> AccountLeg:
        try:
            account = await self._account(request)
            await self._legs.remember(request)
        except LINK_ERRORS as error:
            raise CarrierRefused(DialOutcome.FAILED, f"Redis is away: {error}") from error
        leg = AccountLeg(request, account, self._legs)
        # A carrier may report on the call before it answers the request.
        self._legs.add(request.attempt_id, leg)
        query = "?" + urlencode({ATTEMPT_FIELD: str(request.attempt_id)})
        try:
            leg.carrier_call_id = await account.api.dial(
                Dial(
                    to_number=request.to_number,
                    from_number=request.from_number,
                    voice_url=voice_url(self._public_url, self.name, account.account_id) + query,
                    status_url=status_url(self._public_url, self.name, account.account_id) + query,
                    ring_timeout_seconds=request.ring_timeout_seconds,
                    reference=str(request.attempt_id),
                    machine_detection=MachineDetection(request.machine_detection),
                )
            )
        except CarrierProblem as problem:
            if problem.kind is not ProblemKind.UNREACHABLE:
                await self._not_placed(request, problem)
            # It may have placed the call all the same, and told this replica of it or another one.
            told_elsewhere = await self._told_elsewhere(request)
            leg.carrier_call_id = leg.carrier_call_id or told_elsewhere
            if not leg.carrier_call_id:
                await self._not_placed(request, problem)
        try:
            await self._legs.note_placed(request.attempt_id, leg.carrier_call_id)
        except LINK_ERRORS as error:
            # Only this replica can hang up until a webhook names the id to another one.
            _log.warning("placed_call_not_noted", call_id=str(request.call_id), error=str(error))
        return leg

    async def _told_elsewhere(self, request: DialRequest) -> str:
        """The carrier's id of the call; empty: no replica knows it."""
        try:
            return await self._legs.placed(request.attempt_id) or ""
        except LINK_ERRORS as error:
            _log.warning("placed_call_not_read", call_id=str(request.call_id), error=str(error))
            return ""

    async def _not_placed(self, request: DialRequest, problem: CarrierProblem) -> NoReturn:
        """Raises ``CarrierRefused``."""
        self._legs.remove(request.attempt_id)
        if problem.kind is ProblemKind.UNREACHABLE:
            try:
                await self._legs.give_up(request.attempt_id)
            except LINK_ERRORS as error:
                _log.error("dial_not_given_up", call_id=str(request.call_id), error=str(error))
        outcome = problem.outcome if isinstance(problem, DialRefused) else DialOutcome.FAILED
        is_too_soon = problem.kind is ProblemKind.RATE_LIMITED
        raise CarrierRefused(outcome, problem.message, is_too_soon=is_too_soon) from problem

    async def _account(self, request: DialRequest) -> OpenAccount:
        account = None
        if request.account_id is not None:
            account = await self._accounts.find(request.account_id)
        if account is None or account.spec.name is not self._name:
            raise CarrierRefused(DialOutcome.FAILED, "the carrier account is not connected")
        return account


class AccountLeg:
    """Implements ``telephony_bridge.carrier.DialedLeg``."""

    def __init__(self, request: DialRequest, account: OpenAccount, legs: DialedLegs) -> None:
        self.carrier_call_id = ""
        self.attempt_id = request.attempt_id
        self.call_id = request.call_id
        self.account_id = account.account_id
        self._api = account.api
        self._legs = legs
        self._states: asyncio.Queue[LegState] = asyncio.Queue()
        self._was_answered = False

    def reached(self, told: DialedStage) -> None:
        match told.stage:
            case LegStage.RINGING:
                self._states.put_nowait(Ringing())
            case LegStage.ANSWERED:
                self._was_answered = True
                self._states.put_nowait(Answered())
            case LegStage.ENDED:
                outcome = None if self._was_answered else told.outcome or DialOutcome.FAILED
                self._states.put_nowait(Ended(outcome, told.detail))
            case LegStage.REQUESTED | LegStage.DIALING:
                pass

    async def states(self) -> AsyncIterator[LegState]:
        try:
            while True:
                state = await self._states.get()
                yield state
                if isinstance(state, Ended):
                    return
        finally:
            self._legs.remove(self.attempt_id)

    async def hang_up(self) -> None:
        """If its carrier does not do it, whichever replica it tells of the call hangs up, too."""
        problem = await hang_up(self._legs.redis, self._api, self)
        if problem is not None:
            await self.give_up()
            raise CarrierRefused(DialOutcome.FAILED, problem.message) from problem

    async def give_up(self) -> None:
        try:
            await self._legs.give_up(self.attempt_id)
        except LINK_ERRORS as error:
            _log.error("leg_not_given_up", attempt_id=str(self.attempt_id), error=str(error))


def _shown(reached: StageReached) -> str:
    return reached.status if reached.detail is None else f"{reached.status}: {reached.detail}"


def _dialed_key(attempt_id: UUID) -> str:
    return f"switchboard:bridge:dialed:{attempt_id}"


def _placed_key(attempt_id: UUID) -> str:
    return f"switchboard:bridge:placed:{attempt_id}"


def _given_up_key(attempt_id: UUID) -> str:
    return f"switchboard:bridge:given-up:{attempt_id}"


def _status_stream(bridge_id: str) -> str:
    return f"switchboard:bridge:{bridge_id}:stages"
