"""``/livez``, ``/readyz`` and ``/metrics`` of one process, over HTTP on a port of its own.

It answers from the process's own event loop: a process whose loop hangs answers nothing.
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from http import HTTPStatus

from prometheus_client import CONTENT_TYPE_LATEST, CollectorRegistry, generate_latest

from telemetry.health import Health
from telemetry.loop_lag import measure_loop_lag
from telemetry.metrics import declared
from telemetry.process_name import ProcessName
from telemetry.settings import TelemetryOptions

REQUEST_SECONDS = 5.0
"""How long a client may take to send its request and to read the answer."""
LONGEST_REQUEST_BYTES = 16_384

_GONE = (
    asyncio.IncompleteReadError,
    asyncio.LimitOverrunError,
    ConnectionError,
    TimeoutError,
)


class PortTaken(RuntimeError):
    """The process cannot listen on its monitoring port."""


@asynccontextmanager
async def monitored(
    process: ProcessName, options: TelemetryOptions, health: Health
) -> AsyncIterator[None]:
    """Answer on the monitoring port for the length of the block; without a port do nothing.

    Raises:
        PortTaken
    """
    host, port = options.monitoring_host, options.monitoring_port
    if port is None:
        yield
        return
    answering = MonitoringServer(declared.registry_of(process), health)
    try:
        server = await asyncio.start_server(
            answering.serve, host, port, limit=LONGEST_REQUEST_BYTES
        )
    except OSError as error:
        raise PortTaken(
            f"cannot listen on {host}:{port} (SWITCHBOARD_MONITORING_PORT): {error.strerror}"
        ) from error
    measuring = asyncio.create_task(measure_loop_lag(), name="loop-lag")
    try:
        yield
    finally:
        measuring.cancel()
        server.close()


class MonitoringServer:
    def __init__(self, registry: CollectorRegistry, health: Health) -> None:
        self._registry = registry
        self._health = health

    async def serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        """Answer one request and close the connection."""
        try:
            async with asyncio.timeout(REQUEST_SECONDS):
                head = await reader.readuntil(b"\r\n\r\n")
                writer.write(await self._answer(head))
                await writer.drain()
        except _GONE:
            return
        finally:
            writer.close()

    async def _answer(self, head: bytes) -> bytes:
        method, _, rest = head.partition(b" ")
        path = rest.partition(b" ")[0].partition(b"?")[0]
        if method not in (b"GET", b"HEAD"):
            return _response(HTTPStatus.METHOD_NOT_ALLOWED, {"status": "only GET is answered"})
        match path:
            case b"/livez":
                answer = _response(HTTPStatus.OK, {"status": "alive"})
            case b"/readyz":
                answer = await self._readiness()
            case b"/metrics":
                content = generate_latest(self._registry)
                answer = _http(HTTPStatus.OK, CONTENT_TYPE_LATEST, content)
            case _:
                answer = _response(HTTPStatus.NOT_FOUND, {"status": "not found"})
        return answer if method == b"GET" else answer.partition(b"\r\n\r\n")[0] + b"\r\n\r\n"

    async def _readiness(self) -> bytes:
        if faults := await self._health.faults():
            body = {"status": "not ready", "faults": faults}
            return _response(HTTPStatus.SERVICE_UNAVAILABLE, body)
        return _response(HTTPStatus.OK, {"status": "ready"})


def _response(status: HTTPStatus, body: object) -> bytes:
    return _http(status, "application/json", json.dumps(body).encode() + b"\n")


def _http(status: HTTPStatus, content_type: str, body: bytes) -> bytes:
    head = (
        f"HTTP/1.1 {status.value} {status.phrase}\r\n"
        f"Content-Type: {content_type}\r\n"
        f"Content-Length: {len(body)}\r\n"
        "Cache-Control: no-store\r\n"
        "Connection: close\r\n\r\n"
    )
    return head.encode() + body
