"""How the supervisor runs Switchboard's own processes: ``python -m switchboard NAME``."""

from __future__ import annotations

import signal
import sys
from collections.abc import Iterable, Mapping
from pathlib import Path

from control_plane.platform.job_roles import JobRole
from switchboard.parent_watch import PARENT_FD, ParentPipe
from switchboard.processes.process_environment import needed_by
from switchboard.services.command import Command


class ProcessCommands:
    """The commands of one supervisor's processes.

    Each names the data directory, by which a process that outlives its supervisor is recognised.

    Args:
        listener_fd: the socket that the API serves on.
    """

    def __init__(self, data_dir: Path, parent: ParentPipe, listener_fd: int) -> None:
        self._data_dir = data_dir
        self._parent = parent
        self._listener_fd = listener_fd

    def control_plane(self, channel_fd: int) -> Command:
        """The host of the processes below, which it forks. It gets none of their secrets."""
        arguments = ("--channel", str(channel_fd))
        return self._command("control-plane", "control-plane", arguments, {}, (channel_fd,))

    def api(self, environment: Mapping[str, str]) -> Command:
        arguments = ("--fd", str(self._listener_fd))
        return self._command("api", "api", arguments, environment, (self._listener_fd,))

    def jobs(self, name: str, roles: Iterable[JobRole], environment: Mapping[str, str]) -> Command:
        only = [argument for role in sorted(roles) for argument in ("--only", role.value)]
        return self._command(name, "jobs", tuple(only), environment)

    def bridge(self, environment: Mapping[str, str]) -> Command:
        return self._command("bridge", "bridge", (), environment)

    def workers(self, environment: Mapping[str, str]) -> Command:
        """The host of all of them."""
        return self._command("workers", "worker", (), environment)

    def migrate(self, environment: Mapping[str, str]) -> Command:
        return self._command("migrate", "migrate", (), environment)

    def _command(
        self,
        name: str,
        verb: str,
        arguments: tuple[str, ...],
        environment: Mapping[str, str],
        inherited_fds: tuple[int, ...] = (),
    ) -> Command:
        return Command(
            name=name,
            argv=(
                *(sys.executable, "-m", "switchboard", verb),
                *("--data-dir", str(self._data_dir)),
                *arguments,
            ),
            cwd=Path.cwd(),
            environment={
                "SWITCHBOARD_LOG_FORMAT": "json",
                **environment,
                PARENT_FD: str(self._parent.read_fd),
            },
            inherits=needed_by(verb),
            stop_signal=signal.SIGINT,
            inherited_fds=(self._parent.read_fd, *inherited_fds),
        )
