"""``switchboard control-plane``: forks the processes of the control plane and the telephony bridge.

It imports once what they have in common, which is most of the time that each would take to start.
"""

from __future__ import annotations

import importlib
import os
import socket
import sys
from collections.abc import Sequence

from switchboard.parent_watch import take_parent_fd
from switchboard.processes.process import importing
from switchboard.supervision.fork_server import ForkServer

SHARED = (
    "control_plane.jobs",
    "link.server_version",
    "switchboard.processes.api_process",
    "telemetry.monitoring_server",
    "telemetry.tracing",
    "telephony_bridge.bridge",
)


def run_control_plane_host(channel_fd: int) -> None:
    """Serve until the supervisor ends."""
    with importing():
        for module in SHARED:
            importlib.import_module(module)
    parent_fd = take_parent_fd()
    if parent_fd is not None:
        # The channel ends with the supervisor, too.
        os.close(parent_fd)
    ForkServer(socket.socket(fileno=channel_fd), _run).serve()


def _run(arguments: Sequence[str]) -> int:
    from switchboard.cli import main

    sys.argv = ["switchboard", *arguments]
    main()
    return 0
