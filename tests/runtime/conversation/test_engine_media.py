from __future__ import annotations

import pytest

from pipelines.settings import ProviderSettings
from runtime.conversation import engine_media
from runtime.media.audio.libopus import OpusMissing
from runtime.media.network.media_network import MediaNetwork


async def test_a_worker_without_the_codec_does_not_get_ready(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def missing() -> None:
        raise OpusMissing("libopus was not found")

    monkeypatch.setattr(engine_media, "libopus", missing)
    with pytest.raises(OpusMissing):
        await engine_media.EngineMedia.load(ProviderSettings(), lambda *_: MediaNetwork())
