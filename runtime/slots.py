"""How many calls a worker may run at once."""

from __future__ import annotations

import asyncio


class Slots:
    def __init__(self, total: int) -> None:
        self.total = total
        self._used = 0
        self._is_closed = False
        self._free = asyncio.Event()
        self._free.set()
        self._idle = asyncio.Event()
        self._idle.set()

    @property
    def used(self) -> int:
        return self._used

    @property
    def usable(self) -> int:
        """How many calls may run now: all of ``total``, or those that run while it is closed."""
        return self._used if self._is_closed else self.total

    def close(self) -> None:
        """Let no slot count as free until ``open``."""
        self._is_closed = True
        self._note()

    def open(self) -> None:
        self._is_closed = False
        self._note()

    def take(self) -> None:
        """Take one slot, until ``release``.

        Raises:
            RuntimeError: no slot is free.
        """
        if self._used >= self.total:
            raise RuntimeError(f"all {self.total} slots are taken")
        self._used += 1
        self._note()

    def release(self) -> None:
        """Give one slot back."""
        self._used -= 1
        self._note()

    def _note(self) -> None:
        for event, holds in (
            (self._free, self._used < self.usable),
            (self._idle, self._used == 0),
        ):
            if holds:
                event.set()
            else:
                event.clear()

    async def wait_free(self) -> None:
        """Return once a slot is free. Another task may take it before you do."""
        await self._free.wait()

    async def wait_idle(self) -> None:
        """Return once every slot is free."""
        await self._idle.wait()
