"""Delivers what is due, many at once, and writes down every try.

Any number of processes may run it. A delivery belongs to one of them for ``CLAIM_SECONDS``; if that
process dies, another goes on with the same try.
"""

from __future__ import annotations

import asyncio
import random
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from typing import Any
from uuid import UUID

import structlog
from sqlalchemy.exc import SQLAlchemyError
from sqlalchemy.ext.asyncio import AsyncSession

from contracts.sealing import CannotOpen
from control_plane.calling.intelligence.delivered_payload import delivered_payload
from control_plane.notifying.webhooks import tasks
from control_plane.notifying.webhooks.delivering import delivery_repository
from control_plane.notifying.webhooks.delivering.delivery_repository import Claimed, Recorded
from control_plane.notifying.webhooks.delivering.fairness import Busy, Due, chosen
from control_plane.notifying.webhooks.delivering.retry_schedule import is_dead, next_try_at
from control_plane.notifying.webhooks.delivering.sending import Endpoints, Outcome, send
from control_plane.notifying.webhooks.models import DeliveryStatus
from control_plane.notifying.webhooks.requests import (
    DeliveryRequest,
    current_secrets,
    delivery_request,
)
from control_plane.platform.database import Database
from control_plane.platform.errors import DatabaseUnavailable
from control_plane.platform.job_queue import enqueue
from control_plane.platform.settings import ControlPlaneSettings
from outbound.guarded_network import GuardedNetwork
from outbound.policy import OutboundPolicy

DUE_AT_ONCE = 400
CLAIMED_TOGETHER = 50
"""At most, in one transaction, which has a deadline, together with the payloads. Those of long
calls take a seventh of a second each; so after a transaction that took too long, fewer share one.
"""
BUSY_PAUSE_SECONDS = 0.05
NO_ROOM_PAUSE_SECONDS = 0.5
IDLE_PAUSE_SECONDS = 1.0
"""What other processes add, such as replays, waits so long. The reader of the outbox wakes us."""
RETRY_SECONDS = 1.0
RECORD_TOGETHER_SECONDS = 0.02
_log = structlog.get_logger(__name__)


class DeliveryRunner:
    def __init__(self, database: Database, settings: ControlPlaneSettings) -> None:
        self._database = database
        self._settings = settings
        self._sealer = settings.sealer
        self._endpoints = Endpoints(
            GuardedNetwork(OutboundPolicy(settings.outbound_allowed_networks))
        )
        self._together = CLAIMED_TOGETHER
        self._busy = Busy()
        self._is_busy = False
        """The last look has begun something."""
        self._own: set[UUID] = set()
        """Deliveries that are being tried, or whose try is not written down yet."""
        self._results: list[tuple[Due, Recorded]] = []
        self._has_results = asyncio.Event()
        self._wake = asyncio.Event()

    def wake(self) -> None:
        """There is something new to deliver."""
        self._wake.set()

    async def run(self) -> None:
        """Deliver until cancelled, also across outages of PostgreSQL."""
        try:
            async with asyncio.TaskGroup() as group:
                group.create_task(self._keep_recording())
                while True:
                    self._wake.clear()
                    try:
                        pause = await self._look(group)
                    except DatabaseUnavailable:
                        _log.warning("deliveries_wait_for_database")
                        pause = RETRY_SECONDS
                    await self._endpoints.close_idle(self._busy.by_endpoint)
                    await _until(self._wake, pause)
        finally:
            await self._endpoints.aclose()

    async def _look(self, group: asyncio.TaskGroup) -> float:
        """Begin what is due; returns for how many seconds nothing else will be.

        While nothing happens, a look is one statement: only what is due is worth a transaction.
        """
        was_busy = self._is_busy
        if not was_busy:
            async with self._database.system_statements() as session:
                seconds = await delivery_repository.seconds_until_due(session)
            if seconds is None:
                return IDLE_PAUSE_SECONDS
            if seconds > 0:
                return min(max(seconds, BUSY_PAUSE_SECONDS), IDLE_PAUSE_SECONDS)
        self._is_busy = await self.begin(group) > 0
        # What is due without room: whatever ends makes some, and wakes us.
        return BUSY_PAUSE_SECONDS if was_busy or self._is_busy else NO_ROOM_PAUSE_SECONDS

    async def begin(self, group: asyncio.TaskGroup) -> int:
        """Begin what is due and has room; returns how many.

        Raises:
            DatabaseUnavailable: try again later.
        """
        begun = 0
        while self._busy.free > 0:
            async with self._database.system_session() as session:
                due = await delivery_repository.due(
                    session,
                    DUE_AT_ONCE,
                    without_webhooks=self._busy.full_endpoints,
                    without_tenants=self._busy.full_tenants,
                    without=self._own,
                )
            turns = chosen(due, self._busy)
            if not turns:
                break
            while turns:
                together = turns[: self._together]
                try:
                    begun += await self._begin(group, together)
                except DatabaseUnavailable:
                    self._together = max(1, self._together // 2)
                    for each in turns:
                        self._busy.remove(each)
                    raise
                del turns[: len(together)]
                self._together = min(self._together + 1, CLAIMED_TOGETHER)
            if len(due) < DUE_AT_ONCE:
                break
        return begun

    async def _begin(self, group: asyncio.TaskGroup, turns: Sequence[Due]) -> int:
        requests = await self._claimed([each.id for each in turns])
        for each in turns:
            if each.id in requests:
                self._own.add(each.id)
                group.create_task(self._deliver(each, *requests[each.id]))
            else:
                self._busy.remove(each)
        return len(requests)

    async def _claimed(
        self, ids: Sequence[UUID]
    ) -> dict[UUID, tuple[Claimed, DeliveryRequest | Outcome]]:
        """Those of ``ids`` that belong to this process now, each with the request that it makes, or
        with the reason why none can be made."""
        async with self._database.system_session() as session:
            claimed = await delivery_repository.claim(session, ids)
            facts = await delivery_repository.facts_of(
                session, {(each.event_id, each.occurred_at) for each in claimed}
            )
            gone = [each.id for each in claimed if each.event_id not in facts]
            if gone:
                await delivery_repository.expire(session, gone)
            return {
                each.id: (each, await self._request(session, each, *facts[each.event_id]))
                for each in claimed
                if each.event_id in facts
            }

    async def _request(
        self, session: AsyncSession, delivery: Claimed, data: Mapping[str, Any], origin: str
    ) -> DeliveryRequest | Outcome:
        """One delivery that cannot be made must not hold up the others."""
        now = datetime.now(UTC)
        try:
            secrets = current_secrets(
                self._sealer,
                delivery.sealed_secret,
                delivery.sealed_previous_secret,
                delivery.previous_secret_until,
                now,
            )
            whole = await delivered_payload(
                session, self._settings, delivery.tenant_id, delivery.event, data, origin
            )
            return delivery_request(
                event=delivery.event,
                event_id=delivery.event_id,
                origin=origin,
                occurred_at=delivery.occurred_at,
                data=whole,
                redaction_level=delivery.redaction_level,
                secrets=secrets,
                now=now,
            )
        except CannotOpen:
            return _not_made("The webhook's secret cannot be decrypted: set it again.")
        except SQLAlchemyError:
            raise
        except Exception:  # noqa: BLE001 - whatever it is, the next delivery can be made
            _log.exception(
                "delivery_not_made", delivery_id=str(delivery.id), tenant_id=str(delivery.tenant_id)
            )
            return _not_made("The event could not be put together. The operator's log says why.")

    async def _deliver(
        self, due: Due, delivery: Claimed, request: DeliveryRequest | Outcome
    ) -> None:
        started_at = datetime.now(UTC)
        if isinstance(request, Outcome):
            outcome = request
        else:
            outcome = await self._tried(delivery, request)
        self._busy.remove(due)
        self._results.append((due, _recorded(delivery, outcome, started_at, datetime.now(UTC))))
        self._has_results.set()
        self._wake.set()

    async def _tried(self, delivery: Claimed, request: DeliveryRequest) -> Outcome:
        """What an endpoint does must end no other try, nor this process."""
        client = self._endpoints.client(delivery.tenant_id, delivery.webhook_id)
        try:
            return await send(client, delivery.url, request.headers, request.body)
        except Exception:  # noqa: BLE001 - whatever it is, it concerns this endpoint alone
            _log.exception(
                "delivery_broken_off",
                delivery_id=str(delivery.id),
                tenant_id=str(delivery.tenant_id),
            )
            return _not_made("The request broke off. The operator's log says why.")

    async def _keep_recording(self) -> None:
        while True:
            await self._has_results.wait()
            await asyncio.sleep(RECORD_TOGETHER_SECONDS)
            self._has_results.clear()
            results, self._results = self._results, []
            while results:
                try:
                    await self._record([recorded for _, recorded in results])
                except DatabaseUnavailable:
                    _log.warning("tries_wait_for_database", tries=len(results))
                    await asyncio.sleep(RETRY_SECONDS)
                else:
                    self._own -= {due.id for due, _ in results}
                    results = []

    async def _record(self, results: Sequence[Recorded]) -> None:
        async with self._database.system_session() as session:
            counted = await delivery_repository.record(session, results)
            failed = {each.webhook_id: each for each in counted if each.status == "failed"}
            for webhook_id, each in sorted(failed.items()):
                if await delivery_repository.claim_alert(session, webhook_id):
                    await enqueue(session, tasks.send_alert, delivery_id=str(each.id))


def _not_made(why: str) -> Outcome:
    return Outcome(0, None, why, None)


def _recorded(
    delivery: Claimed, outcome: Outcome, started_at: datetime, ended_at: datetime
) -> Recorded:
    left = delivery.tries_left - 1
    again_at = None
    status = DeliveryStatus.DELIVERED
    if outcome.error is not None:
        again_at = next_try_at(
            left,
            ended_at,
            to_dead_endpoint=is_dead(delivery.failing_since, ended_at),
            chance=random.random(),
        )
        status = DeliveryStatus.FAILED if again_at is None else DeliveryStatus.PENDING
    return Recorded(
        id=delivery.id,
        webhook_id=delivery.webhook_id,
        event=delivery.event,
        status=status.value,
        tries_left=left,
        next_try_at=again_at,
        finished_at=ended_at if again_at is None else None,
        started_at=started_at,
        duration_ms=outcome.duration_ms,
        status_code=outcome.status_code,
        error=outcome.error,
        answer=outcome.answer,
    )


async def _until(event: asyncio.Event, longest_seconds: float) -> None:
    try:
        async with asyncio.timeout(longest_seconds):
            await event.wait()
    except TimeoutError:
        return
