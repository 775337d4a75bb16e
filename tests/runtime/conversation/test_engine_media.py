from __future__ import annotations

from types import SimpleNamespace
from typing import Any, cast

import numpy as np
import pytest

from contracts.call_plan import CallPlan
from pipelines.engine.channels.tts.recorded_words import RecordedWords
from pipelines.engine.channels.tts.supervised_tts import RATE_HZ
from pipelines.settings import ProviderSettings
from runtime.call.end_cause import RoomNotOpened
from runtime.conversation import engine_media
from runtime.media.audio.libopus import OpusMissing
from runtime.media.network.media_network import MediaNetwork
from tests.pipelines.plans import call_plan


async def test_a_worker_without_the_codec_does_not_get_ready(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def missing() -> None:
        raise OpusMissing("libopus was not found")

    monkeypatch.setattr(engine_media, "libopus", missing)
    with pytest.raises(OpusMissing):
        await engine_media.EngineMedia.load(ProviderSettings(), lambda *_: MediaNetwork())


async def test_whatever_keeps_a_room_from_opening_ends_the_call_as_a_room_that_failed() -> None:
    async def prepare(plan: CallPlan) -> None:
        raise ImportError("no module named openai")

    models = cast(Any, SimpleNamespace(prepare=prepare))
    media = engine_media.EngineMedia(models, lambda *_: MediaNetwork())
    with pytest.raises(RoomNotOpened, match="ImportError: no module named openai"):
        await media.open_room(call_plan())


def test_a_call_without_a_conversation_gets_the_apology_that_was_recorded_in_its_language() -> None:
    recorded = {"en": np.arange(5, dtype=np.int16), "de": np.arange(9, dtype=np.int16)}
    models = cast(Any, SimpleNamespace(recorded_words=RecordedWords(RATE_HZ, recorded)))
    media = engine_media.EngineMedia(models, lambda *_: MediaNetwork())
    assert media.recorded_apology("de-AT").tolist() == recorded["de"].tolist()
    assert media.recorded_apology("fi-FI").tolist() == recorded["en"].tolist()
