"""The process that connects calls to the phone network.

It dials when the control plane asks, answers the carriers' webhooks, and carries the sound of each
phone between its carrier and the media worker of its call. Without a public address no carrier can
reach it: it logs that, and sends its heartbeat.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator, Sequence
from contextlib import AsyncExitStack, asynccontextmanager, suppress
from datetime import UTC, datetime
from functools import partial

import structlog
from redis.asyncio import Redis

from carriers.rest import carrier_client
from contracts.inbound_calls import ANSWER_SECONDS
from contracts.redis_names import HEARTBEAT_INTERVAL_SECONDS, HEARTBEAT_TTL_SECONDS
from contracts.sealing import Sealer
from link.connection import LINK_ERRORS, answers, connect
from link.persistent_loop import run_persistently
from telemetry.health import Health
from telephony_bridge.account_carrier import AccountCarrier, DialedLegs
from telephony_bridge.carrier import Carrier
from telephony_bridge.dialer import BLOCK_MS, RETRY_SECONDS, Dialer
from telephony_bridge.heartbeat import BridgeHeartbeat, bridge_heartbeat
from telephony_bridge.lost_legs import LostLegs
from telephony_bridge.media.legs import MediaLegs
from telephony_bridge.reports import Reports
from telephony_bridge.settings import BridgeSettings
from telephony_bridge.tickets import Tickets
from telephony_bridge.webhooks.accounts import Accounts, Specs
from telephony_bridge.webhooks.app import BridgeApp
from telephony_bridge.webhooks.inbound_desk import InboundDesk
from telephony_bridge.webhooks.machine_news import MachineNews
from telephony_bridge.webhooks.media_door import MediaDoor
from telephony_bridge.webhooks.seen import Seen
from telephony_bridge.webhooks.server import BridgeServer, listen
from telephony_bridge.webhooks.webhooks import Webhooks

ANSWER_TIMEOUT_SECONDS = 2.0
STOP_SECONDS = 3.0
"""How long the carriers' connections have to close."""
log = structlog.get_logger(__name__)


async def run_bridge(
    settings: BridgeSettings,
    stop: asyncio.Event,
    specs: Specs | None = None,
    carriers: Sequence[Carrier] = (),
    health: Health | None = None,
) -> None:
    """Serve until ``stop`` is set; survives an absent Redis.

    Setting ``stop`` drains the bridge: it dials nothing more, and its phones go on, as do those
    that still call it, until none is left. After ``drain_timeout_seconds``, or when it is cancelled
    meanwhile, it hangs up every leg and reports that. If a bridge dies, the control plane notices
    within seconds and ends its attempts.

    Args:
        specs: the carriers whose accounts it serves; ``None``: all that are built in.
        carriers: further ones, which need no account.

    Raises:
        PortTaken: another program listens on the port.
    """
    client = _client(settings.redis_url)
    if health is not None:
        health.watch("Redis does not answer.", partial(answers, client))
    reports = Reports(client, settings.bridge_id)
    dialed = DialedLegs(client, settings.bridge_id)
    legs = MediaLegs(client, reports, dialed.has)
    try:
        async with AsyncExitStack() as stack:
            account_carriers: Sequence[Carrier] = ()
            lost: LostLegs | None = None
            # Before the tasks begin: a group of them would wrap a port that is taken.
            if settings.public_url is not None and settings.account_key is not None:
                served = _built_in() if specs is None else specs
                serving = _serving(settings, served, client, dialed, legs, reports)
                accounts = await stack.enter_async_context(serving)
                lost = LostLegs(client, settings.bridge_id, accounts, dialed)
                account_carriers = [
                    AccountCarrier(name, accounts, dialed, settings.public_url) for name in served
                ]
            else:
                log.info(
                    "no public address is configured: phone calls are not available",
                    bridge_id=settings.bridge_id,
                )
            usable = (*carriers, *account_carriers)
            names = tuple(carrier.name for carrier in usable)
            async with asyncio.TaskGroup() as tasks:
                background = [tasks.create_task(reports.keep_sending())]
                if lost is not None:
                    background.append(tasks.create_task(_keep_told(dialed)))
                    background.append(tasks.create_task(lost.run()))
                beating = _keep_beating(client, settings.bridge_id, names)
                background.append(tasks.create_task(beating))
                dialer = Dialer(client, settings.bridge_id, usable, reports, legs.hang_up)
                await dialer.run(
                    stop, partial(_drain, dialer, legs, settings.drain_timeout_seconds)
                )
                await legs.close()
                for task in background:
                    task.cancel()
        with suppress(*LINK_ERRORS):
            await reports.flush()
    finally:
        await client.aclose()


async def _drain(dialer: Dialer, legs: MediaLegs, timeout_seconds: float) -> None:
    """Return once no phone is left, or the time is over. A second signal, which cancels this, ends
    no more than the wait: the phones are hung up."""
    with suppress(TimeoutError, asyncio.CancelledError):
        async with asyncio.timeout(timeout_seconds):
            await dialer.wait_idle()
            await legs.wait_idle()


@asynccontextmanager
async def _serving(
    settings: BridgeSettings,
    specs: Specs,
    redis: Redis,
    dialed: DialedLegs,
    legs: MediaLegs,
    reports: Reports,
) -> AsyncIterator[Accounts]:
    """Answer the carriers for the length of the block."""
    assert settings.public_url is not None
    assert settings.account_key is not None
    public_url = settings.public_url.rstrip("/")
    async with AsyncExitStack() as stack:
        http = await stack.enter_async_context(carrier_client())
        waiting = _client(settings.redis_url, ANSWER_SECONDS)
        stack.push_async_callback(waiting.aclose)
        sealer = Sealer([settings.account_key])
        accounts = Accounts(redis, sealer, specs, settings.carriers, http)
        seen, tickets = Seen(redis), Tickets(redis)
        desk = InboundDesk(waiting, settings.bridge_id)
        machines = await stack.enter_async_context(MachineNews(redis))
        webhooks = Webhooks(
            public_url, seen, desk, tickets, dialed, machines, reports.add, time.time
        )
        door = MediaDoor(redis, seen, tickets, legs, time.time)
        listener = listen(settings.host, settings.port)
        app = BridgeApp(public_url, accounts, webhooks, door)
        server = BridgeServer(app, settings.most_connections)
        serving = asyncio.create_task(server.serve(sockets=[listener]), name="bridge-server")
        log.info("bridge_listens", port=listener.getsockname()[1], public_url=public_url)
        try:
            yield accounts
        finally:
            server.should_exit = True
            # A client that sends on and on must not keep the bridge from stopping.
            await asyncio.wait([serving], timeout=STOP_SECONDS)
            serving.cancel()
            await asyncio.wait([serving])


def _built_in() -> Specs:
    from carriers.registry import CARRIERS

    return {spec.name: spec for spec in CARRIERS}


def _client(redis_url: str, longest_block_seconds: float = BLOCK_MS / 1000) -> Redis:
    return connect(
        redis_url,
        connect_timeout_seconds=ANSWER_TIMEOUT_SECONDS,
        answer_timeout_seconds=ANSWER_TIMEOUT_SECONDS,
        longest_block_seconds=longest_block_seconds,
    )


async def _keep_told(dialed: DialedLegs) -> None:
    await run_persistently(
        "dialed_stages",
        dialed.read_told,
        first_pause_seconds=RETRY_SECONDS,
        longest_pause_seconds=RETRY_SECONDS,
    )


async def _keep_beating(client: Redis, bridge_id: str, carriers: tuple[str, ...]) -> None:
    key = bridge_heartbeat(bridge_id)

    async def beat() -> None:
        heartbeat = BridgeHeartbeat(
            bridge_id=bridge_id, sent_at=datetime.now(UTC), carriers=carriers
        )
        await client.set(key, heartbeat.model_dump_json(), ex=HEARTBEAT_TTL_SECONDS)
        await asyncio.sleep(HEARTBEAT_INTERVAL_SECONDS)

    await run_persistently(
        "heartbeat",
        beat,
        first_pause_seconds=HEARTBEAT_INTERVAL_SECONDS,
        longest_pause_seconds=HEARTBEAT_INTERVAL_SECONDS,
    )
