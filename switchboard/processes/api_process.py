"""``switchboard api``: the control plane's HTTP server."""

from __future__ import annotations

import asyncio
import contextlib
import gc
import socket
import sys

import uvicorn
from fastapi import FastAPI

from control_plane.app import create_app
from control_plane.platform.http.refusals import problem_answer
from listeners.connection_limits import KEEP_ALIVE_SECONDS, limited_protocol
from listeners.connection_room import ACCEPTED_AT_ONCE, ConnectionRoom, most_connections
from switchboard.package_settings import control_plane_settings, telemetry_options
from switchboard.processes.accept_failures import AcceptFailures
from switchboard.processes.calm_server import CalmServer
from switchboard.processes.open_files import raise_open_files_limit
from switchboard.settings import Settings
from telemetry.health import Health
from telemetry.monitoring_server import monitored
from telemetry.process_name import ProcessName
from telemetry.tracing import traced

_SHUTDOWN_SECONDS = 1
SWITCH_SECONDS = 0.0005


def run_api(settings: Settings, listening_fd: int | None) -> None:
    """Serve until SIGINT or SIGTERM, on an inherited listening socket when there is one.

    Raises ``MissingSetting``, ``PortTaken``.
    """
    app = create_app(control_plane_settings(settings))
    calm_interpreter()
    sockets = None if listening_fd is None else [socket.socket(fileno=listening_fd)]
    server = api_server(app, settings)
    health = Health()
    health.is_stopping = lambda: server.should_exit
    health.watch("PostgreSQL does not answer.", app.state.database.answers)
    telemetry = telemetry_options(settings)

    async def serve() -> None:
        async with monitored(ProcessName.API, telemetry, health):
            asyncio.get_running_loop().set_exception_handler(AcceptFailures())
            await server.serve(sockets=sockets)

    with traced(ProcessName.API, telemetry), contextlib.suppress(KeyboardInterrupt):
        asyncio.run(serve())


def calm_interpreter() -> None:
    """Let neither garbage nor threads that compute hold up requests. Call it once the application
    is made."""
    # Everything that exists now stays. A garbage collection that looked through it again would
    # delay every request by a fifth of a second.
    gc.collect()
    gc.freeze()
    # A large page makes thousands of objects and hardly any cycles. Python's own thresholds would
    # have them collected again and again while the page is made.
    gc.set_threshold(200_000, 20, 50)
    # The event loop wakes about twenty times for a request, and each time waits for a thread that
    # computes to give the interpreter up. Python's own interval is ten times as long.
    sys.setswitchinterval(SWITCH_SECONDS)


def api_server(app: FastAPI, settings: Settings) -> uvicorn.Server:
    """The server of an application, with limits on its connections. It raises the process's limit
    of open files."""
    room = ConnectionRoom(most_connections(settings.connections_at_once, raise_open_files_limit()))
    config = uvicorn.Config(
        app,
        host=settings.host,
        port=settings.port,
        http=limited_protocol(room, problem_answer),
        # A request to become a WebSocket connection is answered as any other.
        ws="none",
        backlog=ACCEPTED_AT_ONCE,
        timeout_keep_alive=KEEP_ALIVE_SECONDS,
        log_config=None,
        access_log=False,
        server_header=False,
        timeout_graceful_shutdown=_SHUTDOWN_SECONDS,
        # The application reads them (ForwardedHeadersMiddleware).
        proxy_headers=False,
    )
    return CalmServer(config)
