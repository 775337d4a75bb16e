"""Whether any call is open, asked once for all loops of a process that look at the same moment."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable

from control_plane.calling.calls import repository
from control_plane.platform.database import Database

SAME_MOMENT_SECONDS = 0.1
BUSY_SECONDS = 10.0
"""How long nobody asks again after a call was open: then each loop asks its own question anyway."""


class OpenCalls:
    """One per process. An installation without calls is asked one short question a round, instead
    of a long one by each loop."""

    def __init__(self, database: Database, clock: Callable[[], float] = time.monotonic) -> None:
        self._database = database
        self._clock = clock
        self._asking = asyncio.Lock()
        self._known_until = float("-inf")
        self._found = False

    async def may_be_there(self) -> bool:
        """``False`` if there was none within the last ``SAME_MOMENT_SECONDS``.

        Raises:
            DatabaseUnavailable: try again later.
        """
        async with self._asking:
            if self._clock() >= self._known_until:
                async with self._database.system_statements() as session:
                    self._found = await repository.any_open_call(session)
                known_seconds = BUSY_SECONDS if self._found else SAME_MOMENT_SECONDS
                self._known_until = self._clock() + known_seconds
            return self._found
