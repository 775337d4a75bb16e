"""What people hear first: that they are recorded, and the agent's opener."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine
from typing import Any

from runtime.conversation.conversation import Conversation
from runtime.recording.call_recording import CallRecording


class FirstWords:
    """They wait until the agent listens.

    Args:
        spawn: runs a task of the call.
        is_opener_wanted: asked after the announcement, which a machine that answers, or the call's
            end, may have cut off.
    """

    def __init__(
        self,
        spawn: Callable[[Coroutine[Any, Any, None]], None],
        is_opener_wanted: Callable[[], bool],
    ) -> None:
        self.recording: CallRecording | None = None
        """Set before anybody can join; ``None``: the call is not recorded."""
        self._spawn = spawn
        self._is_opener_wanted = is_opener_wanted
        self._conversation: Conversation | None = None
        self._listening = asyncio.Event()
        self._is_prepared = False

    def agent_listens(self, conversation: Conversation) -> None:
        """The conversation has started."""
        self._conversation = conversation
        self._listening.set()

    def prepare_once(self) -> None:
        """Somebody makes an offer, or a phone rings: have the sound ready when they are here."""
        if not self._is_prepared:
            self._is_prepared = True
            self._spawn(self._prepare())

    async def greet(self) -> None:
        """Say all of it, to the first who joins."""
        await self.announce_recording()
        if self._conversation is not None and self._is_opener_wanted():
            await self._conversation.greet()

    async def announce_recording(self) -> None:
        """Somebody has joined later, and need not hear the opener."""
        await self._listening.wait()
        if self._conversation is not None and self.recording is not None:
            await self.recording.announce(self._conversation)

    async def _prepare(self) -> None:
        await self._listening.wait()
        if self._conversation is not None:
            announcement = None if self.recording is None else self.recording.announcement
            await self._conversation.prepare(announcement)
