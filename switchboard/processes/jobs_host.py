"""``switchboard jobs``: a process that applies events, and one for what tenants wrote.

A tenant's content may end the process that works on it, and events must still be applied.
"""

from __future__ import annotations

import asyncio
import importlib
import sys
from collections.abc import Collection
from functools import partial

from control_plane.platform.job_roles import PLATFORM_ROLES, TENANTS_ROLES, JobRole
from switchboard.package_settings import control_plane_settings, telemetry_options
from switchboard.parent_watch import end_with_parent, take_parent_fd
from switchboard.processes.process import importing, run_watched
from switchboard.processes.settings_by_process import settings_of_tenants_jobs
from switchboard.settings import Settings
from switchboard.supervision.process_host import REFUSED, Part, ProcessHost
from telemetry.monitoring_server import PortTaken
from telemetry.process_name import ProcessName

_TOGETHER_SECONDS = 1.0
"""systemd tells the host and its processes at once to stop."""


def run_jobs_host(settings: Settings) -> int:
    """Run both until a signal says otherwise. Returns the exit code.

    Raises:
        switchboard.listening.NoPort: the second one would have a port above the highest.
    """
    parts = [
        Part("jobs", partial(_run, settings, PLATFORM_ROLES)),
        Part("jobs-tenants", partial(_run, settings_of_tenants_jobs(settings), TENANTS_ROLES)),
    ]
    return ProcessHost(parts, lambda _: None, take_parent_fd(), _import_all).run()


def _import_all() -> None:
    with importing():
        importlib.import_module("control_plane.jobs")


def _run(settings: Settings, roles: Collection[JobRole]) -> int:
    from control_plane.jobs import run_jobs

    end_with_parent()
    try:
        asyncio.run(
            run_watched(
                ProcessName.JOBS,
                telemetry_options(settings),
                lambda stop, health: run_jobs(
                    control_plane_settings(settings), stop, health, roles
                ),
                together_seconds=_TOGETHER_SECONDS,
            )
        )
    except PortTaken as refused:
        sys.stderr.write(f"Not started: {refused}.\n")
        return REFUSED
    return 0
