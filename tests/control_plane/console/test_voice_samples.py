"""What the listen button plays."""

from __future__ import annotations

import json

import av
import httpx2
import pytest

from control_plane.console.routes import STATIC

CATALOGUE = STATIC.parents[1] / "building" / "catalogue" / "catalogue.json"
LOCAL_VOICES = [
    voice["id"]
    for voice in json.loads(CATALOGUE.read_text())["voices"]
    if voice["provider"] == "local"
]


@pytest.mark.parametrize("voice_id", LOCAL_VOICES)
async def test_every_voice_of_this_machine_has_a_sample(
    http: httpx2.AsyncClient, voice_id: str
) -> None:
    answer = await http.get(f"/console/static/voices/{voice_id}.ogg")
    assert answer.status_code == 200
    assert answer.headers["content-type"] == "audio/ogg"
    assert len(answer.content) < 40_000
    with av.open(str(STATIC / "voices" / f"{voice_id}.ogg")) as sample:
        assert sample.duration is not None
        assert 1.5 < sample.duration / av.time_base < 8
