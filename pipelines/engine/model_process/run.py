"""The model process: loads the models, then serves this machine's workers."""

from __future__ import annotations

import asyncio
import gc
import os
from pathlib import Path

import structlog

from pipelines.engine.model_process.server import ModelServer
from pipelines.engine.model_process.socket_path import prepare_folder
from pipelines.engine.providers.local.loaded_models import load_here
from telemetry.health import Health

log = structlog.get_logger(__name__)

NICENESS = 5
"""A model may be late by a moment. A worker that mixes 20 ms frames may not."""
_READ_BYTES = 1024 * 1024


async def run_models(socket_path: Path, stop: asyncio.Event, health: Health | None = None) -> None:
    """Serve workers on ``socket_path`` until ``stop`` is set, or until cancelled.

    The socket opens when the models are loaded: who can connect gets answers. It replaces one that
    an earlier process has left, or is about to leave. Lowers the priority of this process.

    Raises:
        SocketRefused: the path is too long, or its folder belongs to somebody else.
    """
    serving = asyncio.Event()

    async def is_serving() -> bool:
        return serving.is_set()

    if health is not None:
        health.watch("The models are not loaded yet.", is_serving)
    prepare_folder(socket_path)
    models = await load_here()
    try:
        # What is loaded now is never freed, so the garbage collector need not look at it again.
        gc.collect()
        gc.freeze()
        # Only now: while models are loaded to replace those of a dead process, calls wait.
        os.nice(NICENESS)
        server = ModelServer(models)
        listening = await asyncio.start_unix_server(server.serve, socket_path, limit=_READ_BYTES)
        serving.set()
        log.info("models.ready", sample_rates=server.hello().sample_rates)
        try:
            await stop.wait()
        finally:
            serving.clear()
            listening.close()
            await server.aclose()
    finally:
        await models.aclose()
    log.info("models.stopped")
