"""How the models of every vendor are asked."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from contracts.call_plan import Channel


@dataclass(frozen=True)
class Wire:
    """Where it is asked, with which header, and with which parameters in German."""

    provider: str
    channel: Channel
    model: str
    path: str
    header: tuple[str, str]
    parameters: Mapping[str, Any]
    voice: str | None = None
    repeated: Mapping[str, list[str]] = field(default_factory=dict)
    gives_up: bool = True
    """Whether a vendor that never answers is left within the engine's own timeout."""

    over_tls: bool = False

    def __str__(self) -> str:
        return f"{self.provider}-{self.channel}-{self.model}"


BEARER = ("Authorization", "Bearer {key}")
TOKEN = ("Authorization", "Token {key}")
GOOGLE = ("x-goog-api-key", "{key}")
ELEVENLABS = ("xi-api-key", "{key}")
CARTESIA = ("X-API-Key", "{key}")
KEYWORDS = ["Hibari", "molar"]

WIRES = (
    Wire("openai", "llm", "gpt-4.1-mini", "/chat/completions", BEARER, {"model": "gpt-4.1-mini"}),
    Wire("openai", "llm", "gpt-6-luna", "/chat/completions", BEARER, {"reasoning_effort": "none"}),
    Wire(
        "openai",
        "stt",
        "gpt-4o-mini-transcribe",
        "/realtime",
        BEARER,
        {"model": "gpt-4o-mini-transcribe", "language": "de", "prompt": "Hibari, molar"},
    ),
    Wire(
        "openai",
        "stt",
        "whisper-1",
        "/audio/transcriptions",
        BEARER,
        {"model": "whisper-1", "language": "de", "prompt": "Hibari, molar"},
        gives_up=False,
    ),
    Wire(
        "openai",
        "tts",
        "gpt-4o-mini-tts",
        "/audio/speech",
        BEARER,
        {"model": "gpt-4o-mini-tts", "voice": "nova", "response_format": "pcm"},
        voice="nova",
        gives_up=False,
    ),
    Wire(
        "google",
        "llm",
        "gemini-2.5-flash",
        "/v1/models/gemini-2.5-flash:streamGenerateContent",
        GOOGLE,
        {},
    ),
    Wire(
        "google",
        "stt",
        "gemini-3.5-transcribe-live",
        "/ws/google.ai.generativelanguage.v1.GenerativeService.BidiGenerateContent",
        GOOGLE,
        {
            "model": "models/gemini-3.5-transcribe-live",
            "inputAudioTranscription": {
                "language_codes": ["de-DE"],
                "custom_vocabulary": KEYWORDS,
            },
        },
        over_tls=True,
        gives_up=False,
    ),
    Wire(
        "google",
        "tts",
        "gemini-2.5-flash-preview-tts",
        "/v1/models/gemini-2.5-flash-preview-tts:streamGenerateContent",
        GOOGLE,
        {},
        voice="Kore",
    ),
    Wire(
        "anthropic",
        "llm",
        "claude-sonnet-4-6",
        "/v1/messages",
        ("x-api-key", "{key}"),
        {"model": "claude-sonnet-4-6", "stream": True},
    ),
    Wire(
        "deepgram",
        "stt",
        "nova-3",
        "/listen",
        TOKEN,
        {"model": "nova-3", "language": "de", "numerals": "true", "profanity_filter": "false"},
        repeated={"keyterm": KEYWORDS},
    ),
    Wire(
        "deepgram",
        "stt",
        "nova-2",
        "/listen",
        TOKEN,
        {"model": "nova-2"},
        repeated={"keywords": ["Hibari:1.5", "molar:1.5"]},
    ),
    Wire(
        "deepgram",
        "tts",
        "aura-2",
        "/speak",
        TOKEN,
        {"model": "aura-2-thalia-en", "mip_opt_out": "true"},
        voice="aura-2-thalia-en",
    ),
    Wire(
        "elevenlabs",
        "stt",
        "scribe_v2_realtime",
        "/speech-to-text/realtime",
        ELEVENLABS,
        {"model_id": "scribe_v2_realtime", "language_code": "de", "commit_strategy": "vad"},
        repeated={"keyterms": KEYWORDS},
    ),
    Wire(
        "elevenlabs",
        "stt",
        "scribe_v2",
        "/speech-to-text",
        ELEVENLABS,
        {"model_id": "scribe_v2", "language_code": "de", "tag_audio_events": "false"},
        gives_up=False,
    ),
    Wire(
        "elevenlabs",
        "tts",
        "eleven_flash_v2_5",
        "/text-to-speech/rachel/multi-stream-input",
        ELEVENLABS,
        {"model_id": "eleven_flash_v2_5", "language_code": "de", "output_format": "pcm_24000"},
        voice="rachel",
    ),
    Wire(
        "cartesia",
        "stt",
        "ink-2",
        "/stt/turns/websocket",
        CARTESIA,
        {"model": "ink-2"},
        repeated={"keyterm": KEYWORDS},
    ),
    Wire(
        "cartesia",
        "stt",
        "ink-whisper",
        "/stt/websocket",
        CARTESIA,
        {"model": "ink-whisper", "language": "de"},
    ),
    Wire(
        "cartesia",
        "tts",
        "sonic-3",
        "/tts/websocket",
        CARTESIA,
        {"model_id": "sonic-3", "language": "de", "voice": {"mode": "id", "id": "katie"}},
        voice="katie",
    ),
)
