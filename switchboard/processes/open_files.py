"""How many files and connections a process may have open."""

from __future__ import annotations

import resource

_ENOUGH = 65_536


def raise_open_files_limit() -> int:
    """Raise this process's limit as far as its user may, up to 65,536. Returns the limit."""
    allowed, most = resource.getrlimit(resource.RLIMIT_NOFILE)
    wanted = _ENOUGH if most == resource.RLIM_INFINITY else min(most, _ENOUGH)
    if allowed == resource.RLIM_INFINITY or allowed >= wanted:
        return _ENOUGH if allowed == resource.RLIM_INFINITY else allowed
    try:
        resource.setrlimit(resource.RLIMIT_NOFILE, (wanted, most))
    except (OSError, ValueError):
        # macOS permits less than it says.
        return allowed
    return wanted
