"""Whether a process serves, asked from outside as its users would.

The supervisor asks while it starts processes. Containers ask with ``switchboard health NAME``, on
the process's monitoring port.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Awaitable, Callable, Collection
from functools import cached_property
from typing import TYPE_CHECKING

from contracts.heartbeat import WorkerHeartbeat
from contracts.redis_names import EVENT_CONSUMERS, worker_heartbeat
from contracts.versions import read_json
from switchboard.services.embedded_server import EmbeddedServer
from switchboard.settings import MissingSetting, Settings, reachable_here
from telemetry.process_name import ProcessName
from telephony_bridge.heartbeat import BridgeHeartbeat, bridge_heartbeat

if TYPE_CHECKING:
    from redis.asyncio import Redis

ReadinessCheck = Callable[[int], Awaitable[bool]]

_HTTP_TIMEOUT_SECONDS = 10.0


async def is_healthy(name: ProcessName, settings: Settings) -> bool:
    """Whether this machine's process is ready now; of the media workers each, and their models.
    Raises ``MissingSetting``."""
    host, port = settings.monitoring_host, settings.monitoring_port
    if port is None and name is ProcessName.API:
        host, port = settings.host, settings.port
    if port is None:
        raise MissingSetting("SWITCHBOARD_MONITORING_PORT is not set")
    asked = reachable_here(host)
    processes = settings.worker_processes + 1 if name is ProcessName.WORKER else 1
    ready = [await http_ready(asked, port + number)(0) for number in range(processes)]
    return all(ready)


def server_ready(server: EmbeddedServer) -> ReadinessCheck:
    """An embedded server that accepts connections."""

    async def check(pid: int) -> bool:
        return await asyncio.to_thread(server.is_ready, pid)

    return check


async def started(_pid: int) -> bool:
    """A process that others do not wait for: it is ready when it runs."""
    return True


def http_ready(host: str, port: int) -> ReadinessCheck:
    """A process whose ``/readyz`` says that it is ready."""

    async def check(_pid: int) -> bool:
        try:
            async with asyncio.timeout(_HTTP_TIMEOUT_SECONDS):
                reader, writer = await asyncio.open_connection(host, port)
                try:
                    writer.write(b"GET /readyz HTTP/1.0\r\n\r\n")
                    return (await reader.readline()).split()[1:2] == [b"200"]
                finally:
                    writer.close()
        except (OSError, TimeoutError):
            return False

    return check


class RedisReadiness:
    """Checks for processes that need not serve HTTP: their signs of life are in Redis.

    A sign of life counts if it was written after the first question about the process. What a dead
    predecessor of the same name left is older.
    """

    def __init__(self, redis_url: str) -> None:
        self._redis_url = redis_url

    async def aclose(self) -> None:
        await self._client.aclose()

    @cached_property
    def _client(self) -> Redis:
        # The import takes a third of a second, in which the processes can start already.
        from redis.asyncio import Redis

        return Redis.from_url(
            self._redis_url, socket_timeout=1, socket_connect_timeout=1, protocol=2
        )

    def workers(self, worker_ids: Collection[str]) -> ReadinessCheck:
        """Media workers whose heartbeats say that their models are warm."""

        async def serves(since: float) -> bool:
            documents = await self._client.mget([worker_heartbeat(each) for each in worker_ids])
            return all(
                document is not None and _is_ready(document, since) for document in documents
            )

        return _recently(serves)

    def jobs(self) -> ReadinessCheck:
        """A jobs process that consumes events."""

        async def serves(since: float) -> bool:
            seconds, micros = await self._client.time()
            age_seconds = time.time() - since
            oldest_ms = (seconds + micros / 1e6 - age_seconds) * 1000
            return bool(await self._client.zcount(EVENT_CONSUMERS, oldest_ms, "+inf"))

        return _recently(serves)

    def bridge(self, bridge_id: str) -> ReadinessCheck:
        """A telephony bridge with a heartbeat."""

        async def serves(since: float) -> bool:
            document = await self._client.get(bridge_heartbeat(bridge_id))
            if document is None:
                return False
            return read_json(BridgeHeartbeat, document).sent_at.timestamp() >= since

        return _recently(serves)


def _is_ready(document: bytes | str, since: float) -> bool:
    heartbeat = read_json(WorkerHeartbeat, document)
    return heartbeat.state == "ready" and heartbeat.sent_at.timestamp() >= since


def _recently(serves: Callable[[float], Awaitable[bool]]) -> ReadinessCheck:
    """Asks ``serves`` with the oldest Unix time that counts."""
    first_asked: dict[int, float] = {}

    async def check(pid: int) -> bool:
        from redis.exceptions import RedisError

        try:
            return await serves(first_asked.setdefault(pid, time.time()))
        except RedisError:
            return False

    return check
