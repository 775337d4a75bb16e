"""Whether a process is ready for work."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable

import structlog

CHECK_SECONDS = 2.0
"""How long a check may take."""

Check = Callable[[], Awaitable[bool]]
_log = structlog.get_logger(__name__)


def _never() -> bool:
    return False


class Health:
    """What a process says about itself. It is not ready before it has said what to check, and no
    more once it is stopping."""

    def __init__(self) -> None:
        self.is_stopping: Callable[[], bool] = _never
        self._checks: dict[str, Check] = {}

    def watch(self, fault: str, check: Check) -> None:
        """
        Args:
            fault: what is wrong when ``check`` answers ``False``, or not in time, or fails: a
                sentence.
        """
        self._checks[fault] = check

    async def faults(self) -> list[str]:
        """Why the process is not ready; empty if it is."""
        if self.is_stopping():
            return ["The process is stopping."]
        if not self._checks:
            return ["The process is starting."]
        passed = await asyncio.gather(*(_passes(*each) for each in self._checks.items()))
        return [fault for fault, good in zip(self._checks, passed, strict=True) if not good]


async def _passes(fault: str, check: Check) -> bool:
    try:
        async with asyncio.timeout(CHECK_SECONDS):
            return await check()
    except TimeoutError:
        return False
    except Exception:  # noqa: BLE001 - who asks needs an answer, and the name of the check
        _log.exception("readiness_check_failed", fault=fault)
        return False
