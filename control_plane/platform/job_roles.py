"""What a jobs process does. One process may have several roles, and any number may share one."""

from __future__ import annotations

from collections.abc import Collection
from enum import StrEnum


class JobRole(StrEnum):
    EVENTS = "events"
    """Applies workers' events. The processes divide the calls among themselves."""
    REAPER = "reaper"
    """Ends the calls that no worker will end."""
    DISPATCH = "dispatch"
    """Offers calls to the workers that could not be offered at once, and lets those that wait onto
    the stream that workers of release 0.1 read."""
    DIALING = "dialing"
    """Dials phones and applies the bridges' reports."""
    POST_CALL = "post-call"
    """Analyses calls that are over, and makes the calls of batches."""
    RECORDINGS = "recordings"
    """Makes the files of recordings."""
    KNOWLEDGE = "knowledge"
    """Reads what agents are to know, and makes it searchable."""
    NOTIFYING = "notifying"
    """Reads the outbox, and sends what it tells: webhooks and notifications."""
    HOUSEKEEPING = "housekeeping"
    """Provider costs, the books, and deleting what has expired."""


ALL_ROLES = frozenset(JobRole)
TENANTS_ROLES = frozenset(
    {JobRole.POST_CALL, JobRole.RECORDINGS, JobRole.KNOWLEDGE, JobRole.NOTIFYING}
)
"""They work on what tenants wrote and on what was said in their calls. Whatever such work
does to its process, it must not keep workers' events from being applied."""
PLATFORM_ROLES = ALL_ROLES - TENANTS_ROLES


def endangers_events(roles: Collection[JobRole]) -> bool:
    """Whether a process with these roles would apply events beside work on what tenants wrote."""
    return JobRole.EVENTS in roles and not TENANTS_ROLES.isdisjoint(roles)
