"""The keypads of a call's phones: hands each finished entry on."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine
from typing import Any
from uuid import UUID

from runtime.call.keypad import Keypad


class Keypads:
    """
    Args:
        clock: monotonic, in seconds.
        spawn: runs a task of the call.
        entered: is given who has entered what, in the order of each participant.
    """

    def __init__(
        self,
        clock: Callable[[], float],
        spawn: Callable[[Coroutine[Any, Any, None]], None],
        entered: Callable[[UUID, str], None],
    ) -> None:
        self._clock = clock
        self._spawn = spawn
        self._entered = entered
        self._keypads: dict[UUID, Keypad] = {}

    def pressed(self, participant_id: UUID, digits: str) -> None:
        """
        Raises:
            RoomClosed: the call is ending.
        """
        keypad = self._keypads.setdefault(participant_id, Keypad())
        was_open = keypad.ends_at is not None
        for entry in keypad.pressed(digits, self._clock()):
            self._entered(participant_id, entry)
        if keypad.ends_at is not None and not was_open:
            self._spawn(self._await_end_of_entry(participant_id, keypad))

    async def _await_end_of_entry(self, participant_id: UUID, keypad: Keypad) -> None:
        while (ends_at := keypad.ends_at) is not None:
            await asyncio.sleep(max(0.0, ends_at - self._clock()))
            if (entry := keypad.due(self._clock())) is not None:
                self._entered(participant_id, entry)
