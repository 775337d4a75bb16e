"""How each provider of voices is asked for a few seconds of speech, and how it answers. Pure.

Sources: OpenAI, "Create speech"; ElevenLabs, "Create speech"; Cartesia, "Text to Speech (Bytes)";
Deepgram, "Text to Speech REST"; Google, "Speech generation (TTS)" of the Gemini API.
"""

from __future__ import annotations

import base64
import binascii
import io
import json
import wave
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Any
from urllib.parse import quote

_GOOGLE_HZ = 24_000


@dataclass(frozen=True)
class Wanted:
    """
    Args:
        model: of the provider; one that speaks with the voice.
        language: the primary tag, such as ``de``.
    """

    voice: str
    model: str
    text: str
    language: str


@dataclass(frozen=True)
class SampleRequest:
    """A POST with a JSON body; ``path`` follows the provider's address."""

    path: str
    headers: Mapping[str, str] = field(repr=False)
    body: Mapping[str, Any]


def _openai(wanted: Wanted, key: str) -> SampleRequest:
    body = {"model": wanted.model, "voice": wanted.voice, "input": wanted.text}
    headers = {"Authorization": f"Bearer {key}"}
    return SampleRequest("/audio/speech", headers, body | {"response_format": "mp3"})


def _elevenlabs(wanted: Wanted, key: str) -> SampleRequest:
    path = f"/text-to-speech/{quote(wanted.voice, safe='')}?output_format=mp3_44100_64"
    body = {"text": wanted.text, "model_id": wanted.model}
    return SampleRequest(path, {"xi-api-key": key}, body)


def _cartesia(wanted: Wanted, key: str) -> SampleRequest:
    return SampleRequest(
        "/tts/bytes",
        {"X-API-Key": key, "Cartesia-Version": "2025-04-16"},
        {
            "model_id": wanted.model,
            "transcript": wanted.text,
            "voice": {"mode": "id", "id": wanted.voice},
            "language": wanted.language,
            "output_format": {"container": "mp3", "sample_rate": 44_100, "bit_rate": 64_000},
        },
    )


def _deepgram(wanted: Wanted, key: str) -> SampleRequest:
    """A voice of Deepgram is a model."""
    path = f"/speak?model={quote(wanted.voice, safe='')}&encoding=mp3&mip_opt_out=true"
    return SampleRequest(path, {"Authorization": f"Token {key}"}, {"text": wanted.text})


def _google(wanted: Wanted, key: str) -> SampleRequest:
    """Answers with 16-bit PCM in JSON."""
    voice = {"prebuiltVoiceConfig": {"voiceName": wanted.voice}}
    return SampleRequest(
        f"/v1beta/models/{quote(wanted.model, safe='')}:generateContent",
        {"x-goog-api-key": key},
        {
            "contents": [{"parts": [{"text": wanted.text}]}],
            "generationConfig": {
                "responseModalities": ["AUDIO"],
                "speechConfig": {"voiceConfig": voice},
            },
        },
    )


def sound_of(provider: str, answer: bytes) -> tuple[bytes, str]:
    """The sound and its media type.

    Raises:
        ValueError: there is no sound in the answer.
    """
    if provider != "google":
        if not answer:
            raise ValueError("the answer is empty")
        return answer, "audio/mpeg"
    try:
        part = json.loads(answer)["candidates"][0]["content"]["parts"][0]
        samples = base64.b64decode(part["inlineData"]["data"], validate=True)
    except (LookupError, TypeError, binascii.Error) as error:
        raise ValueError("the answer holds no sound") from error
    file = io.BytesIO()
    with wave.open(file, "wb") as sound:
        sound.setnchannels(1)
        sound.setsampwidth(2)
        sound.setframerate(_GOOGLE_HZ)
        sound.writeframes(samples)
    return file.getvalue(), "audio/wav"


SAMPLED: Mapping[str, Callable[[Wanted, str], SampleRequest]] = MappingProxyType(
    {
        "cartesia": _cartesia,
        "deepgram": _deepgram,
        "elevenlabs": _elevenlabs,
        "google": _google,
        "openai": _openai,
    }
)
"""By provider; the second argument is the key."""
