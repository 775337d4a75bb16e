"""``switchboard worker``: one machine's media workers, one process for each core, and the process
with the speech models that they share.

The host imports the conversation engine once and forks the workers, so they share its memory. The
models are loaded meanwhile.
"""

from __future__ import annotations

import asyncio
import importlib
import os
import sys
from collections.abc import Mapping
from functools import partial

import structlog

from switchboard.package_settings import provider_settings, telemetry_options, worker_settings
from switchboard.parent_watch import PARENT_FD, end_with_parent, take_parent_fd
from switchboard.processes.open_files import raise_open_files_limit
from switchboard.processes.process import importing, run_watched
from switchboard.processes.process_environment import needed_by
from switchboard.processes.settings_by_process import settings_of_models, settings_of_worker
from switchboard.processes.urgency import Urgency
from switchboard.settings import Settings
from switchboard.state import write_worker_pids
from switchboard.supervision.process_host import REFUSED, Part, ProcessHost
from telemetry.monitoring_server import PortTaken
from telemetry.process_name import ProcessName

_TOGETHER_SECONDS = 1.0
"""systemd tells the host and its workers at once to stop. A worker that would take that for a
second request would end its calls instead of draining."""

log = structlog.get_logger(__name__)


def run_worker_host(settings: Settings) -> int:
    """Run the workers until a signal says otherwise. Returns the exit code.

    SIGTERM drains every worker; SIGINT ends its calls at once.

    Raises:
        switchboard.listening.NoPort: the last of the processes would have a port above the highest.
    """
    settings_of_models(settings)
    parts = [
        Part("models", partial(_become_models, settings), serves_others=True),
        *(
            Part(f"worker-{number}", partial(_run_worker, settings_of_worker(settings, number)))
            for number in range(1, settings.worker_processes + 1)
        ),
    ]

    settings.data_dir.mkdir(parents=True, exist_ok=True)
    # A worker has a file open for each call that is not settled, and sockets for each that runs.
    raise_open_files_limit()

    def on_change(pids: Mapping[str, int]) -> None:
        try:
            write_worker_pids(settings.data_dir, pids)
        except OSError as error:
            # On a full disk, for example. The calls do not need the file.
            log.warning("worker_pids_not_written", error=str(error))

    return ProcessHost(parts, on_change, take_parent_fd(), partial(_import_all, settings)).run()


def _import_all(settings: Settings) -> None:
    """What each worker would import at its start, two seconds for all of them."""
    with importing():
        importlib.import_module("runtime.run")
        importlib.import_module("runtime.conversation.engine_media")
        from pipelines.engine.providers.registry import PROVIDERS

        providers = provider_settings(settings)
        for spec in PROVIDERS:
            if spec.is_available(providers):
                for module in (*spec.sdk, *([] if spec.plugin is None else [spec.plugin])):
                    importlib.import_module(module)


def _become_models(settings: Settings) -> int:
    """The model process is another program: it has no engine, and none of the workers' secrets."""
    is_needed = needed_by(ProcessName.MODELS)
    environment = {name: text for name, text in os.environ.items() if is_needed(name)}
    port = settings_of_models(settings).monitoring_port
    if port is not None:
        environment["SWITCHBOARD_MONITORING_PORT"] = str(port)
    os.set_inheritable(int(environment[PARENT_FD]), True)
    os.execve(
        sys.executable,
        [
            *(sys.executable, "-m", "switchboard", "models"),
            *("--data-dir", str(settings.data_dir)),
        ],
        environment,
    )


def _run_worker(settings: Settings) -> int:
    from pipelines.engine.model_process.socket_path import models_socket
    from runtime.journal.folder_lock import JournalsInUse
    from runtime.link.worker_identity import WorkerIdInUse
    from runtime.run import run_worker

    end_with_parent()
    urgency = Urgency(settings.worker_niceness)
    urgency.starts()
    try:
        asyncio.run(
            run_watched(
                ProcessName.WORKER,
                telemetry_options(settings),
                lambda stop, health: run_worker(
                    worker_settings(settings),
                    provider_settings(settings),
                    stop,
                    health,
                    models_socket(settings.data_dir),
                    urgency.is_warm,
                ),
                together_seconds=_TOGETHER_SECONDS,
            )
        )
    except (JournalsInUse, PortTaken, WorkerIdInUse) as refused:
        sys.stderr.write(f"Not started: {refused}.\n")
        return REFUSED
    return 0
