"""The rank of a process that stands for another machine: a caller's, or a vendor's."""

from __future__ import annotations

from switchboard.processes.urgency import Urgency

_NICENESS = -11
"""One before the media workers' (``switchboard.settings.Settings.worker_niceness``)."""


def run_before_workers() -> None:
    """Give this process a processor before media workers get one, if the system allows it.

    Behind them, it would hear late what they have sent in time, as soon as a machine is full.
    """
    Urgency(_NICENESS).is_warm()
