"""Runs a media worker whose calls the conversation engine speaks in."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from pathlib import Path

from pipelines.settings import ProviderSettings
from runtime.settings import WorkerSettings
from runtime.task_errors import TaskErrors
from runtime.worker import Media, Worker
from telemetry.health import Health


async def run_worker(
    settings: WorkerSettings,
    providers: ProviderSettings,
    stop: asyncio.Event,
    health: Health | None = None,
    models_socket: Path | None = None,
    on_warm: Callable[[], None] = lambda: None,
) -> None:
    """Run a media worker until ``stop`` is set and its calls are over.

    Setting ``stop`` drains the worker: it claims no new calls. Running calls may continue for
    ``drain_timeout_seconds``, then they end with ``server_shutdown``. Cancelling ends them at once.

    Args:
        models_socket: where the model process of this machine listens; without it, this process
            loads the models itself.
        on_warm: called once everything is loaded, before the first call.

    Raises:
        JournalsInUse: another worker is running in ``settings.data_dir``.
        WorkerIdInUse: another running worker has the same id.
        OpusMissing: there is no codec for the callers' audio.
        ModelsNotStarted: the model process does not answer.
    """
    # Importing the engine blocks the loop for seconds, so do it before the heartbeat starts.
    from livekit.agents.utils import http_context

    from knowledge.embedding.embedder import embedder
    from pipelines.engine.knowledge.shelf import Shelf
    from runtime.conversation.engine_media import EngineMedia

    async def warm_up() -> Media:
        shelf = None
        if settings.object_store_url is not None and settings.knowledge_dir is not None:
            shelf = Shelf(
                settings.object_store_url, settings.knowledge_dir, embedder(settings.embedding)
            )
        media = await EngineMedia.load(providers, settings.media_network, models_socket, shelf)
        on_warm()
        return media

    TaskErrors().install(asyncio.get_running_loop())
    async with http_context.open():
        worker = Worker(settings, warm_up)
        if health is not None:
            health.watch("The models are not loaded yet.", worker.is_warm)
            health.watch("Redis has no heartbeat of this worker.", worker.is_heard)
        await worker.run(stop)
