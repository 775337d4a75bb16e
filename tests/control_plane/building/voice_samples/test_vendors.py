"""What goes on each provider's wire, and what comes back."""

from __future__ import annotations

import base64
import io
import json
import wave
from typing import Any

import pytest

from control_plane.building.voice_samples.vendors import SAMPLED, Wanted, sound_of

WANTED = Wanted("a voice", "a-model", "Good morning.", "de")
KEY = "secret"
SAID: dict[str, tuple[str, tuple[str, str], dict[str, Any]]] = {
    "openai": (
        "/audio/speech",
        ("Authorization", "Bearer secret"),
        {
            "model": "a-model",
            "voice": "a voice",
            "input": "Good morning.",
            "response_format": "mp3",
        },
    ),
    "elevenlabs": (
        "/text-to-speech/a%20voice?output_format=mp3_44100_64",
        ("xi-api-key", "secret"),
        {"text": "Good morning.", "model_id": "a-model"},
    ),
    "cartesia": (
        "/tts/bytes",
        ("X-API-Key", "secret"),
        {
            "model_id": "a-model",
            "transcript": "Good morning.",
            "voice": {"mode": "id", "id": "a voice"},
            "language": "de",
            "output_format": {"container": "mp3", "sample_rate": 44_100, "bit_rate": 64_000},
        },
    ),
    "deepgram": (
        "/speak?model=a%20voice&encoding=mp3&mip_opt_out=true",
        ("Authorization", "Token secret"),
        {"text": "Good morning."},
    ),
    "google": (
        "/v1beta/models/a-model:generateContent",
        ("x-goog-api-key", "secret"),
        {
            "contents": [{"parts": [{"text": "Good morning."}]}],
            "generationConfig": {
                "responseModalities": ["AUDIO"],
                "speechConfig": {"voiceConfig": {"prebuiltVoiceConfig": {"voiceName": "a voice"}}},
            },
        },
    ),
}


@pytest.mark.parametrize("provider", SAMPLED)
def test_each_provider_is_asked_in_its_own_words(provider: str) -> None:
    path, header, body = SAID[provider]
    request = SAMPLED[provider](WANTED, KEY)
    assert request.path == path
    assert header in request.headers.items()
    assert request.body == body


@pytest.mark.parametrize("provider", SAMPLED)
def test_a_key_is_never_shown(provider: str) -> None:
    assert KEY not in repr(SAMPLED[provider](WANTED, KEY))


def test_mp3_is_handed_on() -> None:
    assert sound_of("openai", b"mp3") == (b"mp3", "audio/mpeg")


def test_pcm_of_google_becomes_a_wav_file() -> None:
    data = base64.b64encode(bytes(4_800)).decode()
    part = {"inlineData": {"mimeType": "audio/L16;codec=pcm;rate=24000", "data": data}}
    answer = json.dumps({"candidates": [{"content": {"parts": [part]}}]}).encode()
    sound, media_type = sound_of("google", answer)
    assert media_type == "audio/wav"
    with wave.open(io.BytesIO(sound)) as file:
        assert (file.getframerate(), file.getnframes()) == (24_000, 2_400)


@pytest.mark.parametrize(
    ("provider", "answer"),
    [
        ("openai", b""),
        ("google", b"no JSON"),
        ("google", b"[]"),
        ("google", b'{"candidates": []}'),
        ("google", b'{"candidates": [{"content": {"parts": [{"text": "Hello"}]}}]}'),
        ("google", b'{"candidates": [{"content": {"parts": [{"inlineData": {"data": "?"}}]}}]}'),
    ],
)
def test_an_answer_without_sound_is_no_sample(provider: str, answer: bytes) -> None:
    with pytest.raises(ValueError):  # noqa: PT011 - of several kinds
        sound_of(provider, answer)
