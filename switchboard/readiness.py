"""How the supervisor knows that a process serves, asked from outside as its users would."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Awaitable, Callable

from switchboard.services.embedded_server import EmbeddedServer

ReadinessCheck = Callable[[int], Awaitable[bool]]

_HTTP_TIMEOUT_SECONDS = 10.0


def server_ready(server: EmbeddedServer) -> ReadinessCheck:
    """An embedded server that accepts connections."""

    async def check(pid: int) -> bool:
        return await asyncio.to_thread(server.is_ready, pid)

    return check


def api_ready(host: str, port: int) -> ReadinessCheck:
    """An API whose ``/readyz`` says that it reaches its database."""

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


def worker_ready(redis_url: str, worker_id: str) -> ReadinessCheck:
    """A worker whose heartbeat says that its models are warm.

    A dead predecessor's heartbeat under the same id is older than the process asked about.
    """
    from redis.asyncio import Redis
    from redis.exceptions import RedisError

    from contracts.heartbeat import WorkerHeartbeat
    from contracts.redis_names import worker_heartbeat

    started: dict[int, float] = {}
    client: Redis = Redis.from_url(redis_url, socket_timeout=1, socket_connect_timeout=1)

    async def check(pid: int) -> bool:
        since = started.setdefault(pid, time.time())
        try:
            document = await client.get(worker_heartbeat(worker_id))
        except RedisError:
            return False
        if document is None:
            return False
        heartbeat = WorkerHeartbeat.model_validate_json(document)
        ready = heartbeat.state == "ready" and heartbeat.sent_at.timestamp() >= since
        if ready:
            await client.aclose()
        return ready

    return check


async def lives(_pid: int) -> bool:
    """A process that offers nothing to ask; it is served by being there."""
    return True
