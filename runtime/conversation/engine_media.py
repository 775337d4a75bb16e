"""How a worker runs real calls: with local rooms and the conversation engine."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable
from pathlib import Path
from typing import Self
from uuid import UUID

import numpy as np

from contracts.call_plan import CallPlan
from pipelines.engine.call_actions import CallActions
from pipelines.engine.knowledge.shelf import Shelf
from pipelines.engine.shared_models import WarmModels, load_models
from pipelines.settings import ProviderSettings
from runtime.call.end_cause import RoomNotOpened
from runtime.conversation.conversation import CallRecord
from runtime.conversation.engine_conversation import EngineConversation, at_room_rate
from runtime.media.audio.libopus import libopus
from runtime.media.local_room import LocalRoom
from runtime.media.network.media_network import MediaNetwork
from runtime.media.room import Room, Samples


class EngineMedia:
    """Implements ``runtime.worker.Media``. Owns ``models`` and closes them."""

    def __init__(
        self, models: WarmModels, network_of: Callable[[UUID, float], MediaNetwork]
    ) -> None:
        self._models = models
        self._network_of = network_of
        """The network of a call that begins at a time, in seconds since 1970."""

    @classmethod
    async def load(
        cls,
        providers: ProviderSettings,
        network_of: Callable[[UUID, float], MediaNetwork],
        models_socket: Path | None = None,
        shelf: Shelf | None = None,
    ) -> Self:
        """
        Args:
            shelf: the knowledge sources that calls look up.

        Raises:
            OpusMissing: no call could have sound.
            ModelsNotStarted: the model process does not answer.
        """
        await asyncio.to_thread(libopus)
        return cls(await load_models(providers, models_socket, shelf), network_of)

    async def open_room(self, plan: CallPlan) -> Room:
        try:
            await self._models.prepare(plan)
            return LocalRoom(plan.room_name, network=self._network_of(plan.call_id, time.time()))
        except Exception as error:
            raise RoomNotOpened(f"{type(error).__name__}: {error}") from error

    def open_conversation(
        self, plan: CallPlan, room: Room, actions: CallActions, record: CallRecord
    ) -> EngineConversation:
        return EngineConversation(plan, room, actions, record, self._models)

    def recorded_apology(self, locale: str) -> Samples:
        return np.concatenate(at_room_rate(self._models.recorded_words.frame(locale)))

    @property
    def oldest_request_seconds(self) -> float:
        return self._models.local.oldest_request_seconds

    async def aclose(self) -> None:
        await self._models.aclose()
