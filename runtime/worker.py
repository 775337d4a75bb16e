"""The media worker: one process that claims calls and runs many of them at once."""

from __future__ import annotations

import asyncio
import gc
from collections.abc import Awaitable, Callable, Iterable
from contextlib import AsyncExitStack
from functools import partial
from typing import Any, Protocol
from uuid import UUID

import structlog

from contracts.call_plan import CallPlan
from contracts.call_status import Transport
from contracts.end_reasons import EndReason
from contracts.events import CallEnded
from contracts.heartbeat import WHY_CLAIMS_NOTHING, CallMedia, WhyClaimsNothing
from link.connection import LINK_ERRORS
from pipelines.engine.call_actions import CallActions
from pipelines.texts import phrases
from runtime.call.call import Call
from runtime.conversation.conversation import CallRecord, Conversation
from runtime.headroom.headroom import Headroom
from runtime.headroom.watch import HeadroomWatch
from runtime.journal.adoption import adopt
from runtime.journal.event_shipper import EventShipper
from runtime.journal.journal import Journal
from runtime.journal.space import JournalSpace
from runtime.journal.store import JournalStore
from runtime.link.claims import give_back_claim
from runtime.link.commands import CommandReader
from runtime.link.dead_workers import forget_dead_workers
from runtime.link.dispatch import Acknowledge, Dispatcher
from runtime.link.heartbeat import Backlog, Heartbeat, MediaDoor
from runtime.link.live_publisher import LivePublisher
from runtime.link.offered_call import OfferedCall
from runtime.link.redis_client import connect
from runtime.link.worker_identity import WorkerIdentity
from runtime.media.phones.listener import PhoneListener
from runtime.media.phones.reachable_address import reached_at
from runtime.media.room import Room, Samples
from runtime.media.room_clock import lateness_listener
from runtime.recording.recordings import Recordings
from runtime.running_calls import RunningCalls
from runtime.settings import WorkerSettings
from runtime.slots import Place, Slots
from runtime.stopping import drain, say_goodbye, ship_rest
from runtime.task_errors import bind_call
from telemetry.metrics import (
    CALLS_WAITING,
    CLAIMS_NOTHING,
    SLOTS,
    SLOTS_USED,
    UNSETTLED_CALLS,
)
from telemetry.tracing import call_span

logger = structlog.get_logger(__name__)


class Media(Protocol):
    """What a worker needs to run calls, with its models loaded."""

    async def open_room(self, plan: CallPlan) -> Room:
        """Raises ``RoomNotOpened``."""

    def open_conversation(
        self, plan: CallPlan, room: Room, actions: CallActions, record: CallRecord
    ) -> Conversation: ...

    def recorded_apology(self, locale: str) -> Samples:
        """For a call whose conversation could not be built: the sound (``ENGINE_OUTPUT_HZ``) of an
        apology in the language of ``locale``. It loads nothing."""

    @property
    def oldest_request_seconds(self) -> float:
        """How long the oldest work has been with the local models, or waits for them."""

    async def aclose(self) -> None: ...


class Worker:
    """
    Args:
        warm_up: loads what calls need. No call is claimed before it returns.
    """

    def __init__(
        self,
        settings: WorkerSettings,
        warm_up: Callable[[], Awaitable[Media]],
    ) -> None:
        self._settings = settings
        self._warm_up = warm_up
        self._journals = JournalStore(settings.data_dir, settings.worker_id)
        self._redis = connect(settings.redis_url)
        self._headroom = Headroom(settings.headroom_limits)
        self._slots = Slots(settings.slots, lambda: self._headroom.is_strained)
        self._calls = RunningCalls()
        self._shipper = EventShipper(self._redis, settings.event_backlog_limit)
        self._space = JournalSpace(
            self._journals.folder, settings.journal_limit_mb * 1_000_000, self._slots
        )
        self._live = LivePublisher(self._redis)
        self._recordings = Recordings(settings.object_store_url, phrases)
        self._identity = WorkerIdentity(settings.worker_id, settings.data_dir)
        self._heartbeat = Heartbeat(
            self._redis,
            settings.worker_id,
            self._identity,
            self._slots,
            self,
            settings.lease_seconds,
        )

        SLOTS.set(settings.slots)
        SLOTS_USED.set_function(lambda: self._slots.used)
        CALLS_WAITING.set_function(lambda: self._slots.waiting)
        for reason in WHY_CLAIMS_NOTHING:
            CLAIMS_NOTHING.labels(reason).set_function(partial(self._is_held_back_by, reason))
        UNSETTLED_CALLS.set_function(lambda: len(self._shipper.unsettled))

    def _is_held_back_by(self, reason: WhyClaimsNothing) -> bool:
        return reason in self._slots.reasons

    async def is_warm(self) -> bool:
        return self._heartbeat.state == "ready"

    async def is_heard(self) -> bool:
        return self._heartbeat.is_heard

    async def run(self, stop: asyncio.Event) -> None:
        """Run calls until ``stop`` is set and the calls are over, or until cancelled.

        A cancelled worker ends its calls at once with ``server_shutdown``.

        Raises:
            WorkerIdInUse: another running worker has the same id.
        """
        log = logger.bind(worker_id=self._settings.worker_id)
        lateness_listener.set(self._headroom.frame_was_late)
        async with AsyncExitStack() as stack:
            stack.callback(self._journals.close)
            stack.callback(self._recordings.close)
            stack.push_async_callback(self._redis.aclose)
            if not await self._claimed_id(stop):
                return
            async with asyncio.TaskGroup() as services:
                background = [
                    services.create_task(self._heartbeat.run()),
                    services.create_task(self._shipper.run()),
                    services.create_task(self._live.run()),
                    services.create_task(self._space.run()),
                ]
                try:
                    if self._settings.workers_dir is not None:
                        await self._journals.take_over_from_the_dead(self._settings.workers_dir)
                    await forget_dead_workers(self._redis)
                    await adopt(self._journals, self._shipper, self._redis)
                    media = await self._warmed(stop)
                    if media is not None:
                        stack.push_async_callback(media.aclose)
                        await self._open_media_door(stack)
                        log.info("worker.ready", slots=self._slots.total)
                        await self._run_calls(media, stop)
                finally:
                    await ship_rest(self._shipper, self._live)
                    for task in background:
                        task.cancel()
            await say_goodbye(self._heartbeat)
        log.info("worker.stopped")

    # -- CarriedCalls, for the heartbeat -------------------------------------------------------

    def claimed(self) -> Iterable[UUID]:
        return self._shipper.unsettled - self._shipper.begun

    def taken(self, call_id: UUID) -> None:
        if (call := self._calls.find(call_id)) is not None and call.is_reserved:
            logger.warning("worker.reservation_taken", call_id=str(call_id))
            call.release()

    def leased(self) -> Iterable[UUID]:
        return self._shipper.begun

    def media(self) -> Iterable[CallMedia]:
        """Without the calls whose phones still ring: they may be offered again."""
        return [
            call.media(self._settings.worker_id) for call in self._calls if not call.is_reserved
        ]

    def backlog(self) -> Backlog:
        return {
            "journal_bytes": self._space.used_bytes,
            "journals_are_full": self._space.is_full,
            "events_are_held_back": self._shipper.is_backed_up,
        }

    # -- life ----------------------------------------------------------------------------------

    async def _claimed_id(self, stop: asyncio.Event) -> bool:
        """Whether the id is ours; ``False`` if the worker was stopped before that."""
        claiming = asyncio.ensure_future(self._identity.claim(self._redis))
        if not await _done_before(stop, claiming):
            return False
        claiming.result()
        return True

    async def _warmed(self, stop: asyncio.Event) -> Media | None:
        """The loaded models; ``None`` if the worker was stopped before that."""
        warming = asyncio.ensure_future(self._warm_up())
        if not await _done_before(stop, warming):
            return None
        # What is loaded now is never freed, so the garbage collector need not look at it again.
        gc.collect()
        gc.freeze()
        return warming.result()

    async def _open_media_door(self, stack: AsyncExitStack) -> None:
        """Listen for phone legs. A worker that cannot carries no phones, and says so."""
        settings = self._settings
        listener = PhoneListener(self._calls.find_for_leg)
        try:
            port = await listener.start(settings.phone_media_host, settings.phone_media_port)
        except OSError as error:
            logger.error("worker.no_phone_media", error=str(error))
            return
        stack.push_async_callback(listener.aclose)
        address = settings.phone_media_address or await reached_at(
            settings.phone_media_host, port, settings.redis_url
        )
        self._heartbeat.media_door = MediaDoor(address, listener.secret)

    async def _run_calls(self, media: Media, stop: asyncio.Event) -> None:
        async with asyncio.TaskGroup() as calls:

            def on_offer(offered: OfferedCall, acknowledge: Acknowledge) -> None:
                place = self._slots.admit()
                if any(each.transport is Transport.PSTN for each in offered.plan.participants):
                    place.hold()
                task = calls.create_task(self._run_call(media, offered, acknowledge, place))
                task.add_done_callback(lambda _: place.leave())

            def on_unreadable() -> None:
                self._heartbeat.unreadable_offers += 1

            worker_id = self._settings.worker_id
            dispatcher = Dispatcher(
                self._redis,
                worker_id,
                self._slots,
                on_offer,
                on_unreadable,
                lambda call_id: self._calls.find(call_id) is not None,
                self._settings.lease_seconds,
            )
            commands = CommandReader(self._redis, worker_id, self._calls)
            watch = HeadroomWatch(self._headroom, self._slots, lambda: media.oldest_request_seconds)
            watching = calls.create_task(watch.run())
            commanding = calls.create_task(commands.run())
            claiming = calls.create_task(dispatcher.run())
            self._heartbeat.state = "ready"
            await stop.wait()
            self._heartbeat.state = "draining"
            claiming.cancel()
            await drain(self._calls, self._slots, self._settings.drain_timeout_seconds)
            commanding.cancel()
            watching.cancel()

    async def _run_call(
        self, media: Media, offered: OfferedCall, acknowledge: Acknowledge, place: Place
    ) -> None:
        plan = offered.plan
        bind_call(str(plan.call_id))
        log = logger.bind(call_id=str(plan.call_id))
        try:
            journal = await self._journals.create(plan)
        except FileExistsError:
            log.warning("call.already_running")
            await acknowledge()
            return
        except OSError as error:
            # Without an acknowledgement, another worker will get the entry.
            log.error("call.no_journal", error=str(error))
            self._space.refused(error)
            return
        self._shipper.add(journal)
        call = Call(
            plan,
            journal,
            open_room=lambda: media.open_room(plan),
            open_conversation=media.open_conversation,
            phrases=phrases,
            recorded_apology=media.recorded_apology,
            publish=partial(self._live.publish, plan.call_id),
            open_recording=self._recordings.open,
            place=place,
            funded_until_ms=offered.offer.funded_until_ms,
            is_backed_up=lambda: self._shipper.is_backed_up,
        )
        self._calls.add(call)
        attributes = {"worker_id": self._settings.worker_id, "tenant_id": str(plan.tenant_id)}
        try:
            with call_span("run call", plan.call_id, attributes) as known_later:
                await call.run(acknowledge)
                known_later["end_reason"] = call.end_reason or ""
        except Exception as error:
            log.exception("call.crashed")
            if not (journal.has_ended or call.is_reserved):
                # While its journal is open, this worker counts as running the call.
                journal.append(
                    CallEnded(
                        end_reason=EndReason.WORKER_ERROR,
                        connected_ms=call.media(self._settings.worker_id).connected_ms,
                        detail=f"the worker failed with {type(error).__name__}",
                    )
                )
        finally:
            self._calls.remove(call)
            await journal.wait_durable()
            if call.is_reserved:
                await self._forget(journal)

    async def _forget(self, journal: Journal) -> None:
        """The phone was not answered. From now on another worker may be reserved for the call."""
        call_id = journal.plan.call_id
        try:
            await self._shipper.drop(journal)
        except OSError as error:
            # It has no event: the worker's next start deletes it.
            logger.error("worker.journal_not_deleted", call_id=str(call_id), error=str(error))
            self._space.refused(error)
        try:
            await give_back_claim(self._redis, call_id, self._settings.worker_id)
        except LINK_ERRORS as error:
            logger.warning("worker.lease_not_returned", call_id=str(call_id), error=str(error))


async def _done_before(stop: asyncio.Event, work: asyncio.Future[Any]) -> bool:
    """Whether ``work`` was done before ``stop`` was set; otherwise it is cancelled."""
    stopped = asyncio.ensure_future(stop.wait())
    try:
        await asyncio.wait({stopped, work}, return_when=asyncio.FIRST_COMPLETED)
        return work.done()
    finally:
        stopped.cancel()
        work.cancel()
