"""Keys and addresses of speech and language providers, and how long they may take."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Annotated

from pydantic import BaseModel, ConfigDict, Field

VENDOR_BASE_URLS: Mapping[str, str] = MappingProxyType(
    {
        "openai": "https://api.openai.com/v1",
        "google": "https://generativelanguage.googleapis.com",
        "anthropic": "https://api.anthropic.com",
        "deepgram": "https://api.deepgram.com/v1",
        "elevenlabs": "https://api.elevenlabs.io/v1",
        "cartesia": "https://api.cartesia.ai",
    }
)
"""Every provider that needs a key, and the address of its API."""
OPENAI_COMPATIBLE = "openai_compatible"
"""A server with OpenAI's API: the operator's, if the operator sets its address, or a tenant's own.
A key is optional."""


_Seconds = Annotated[float, Field(gt=0, le=60)]


class ProviderDeadlines(BaseModel):
    """How long a provider may take before the next one is asked."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    connect_seconds: _Seconds = 1.5
    """Until a connection is made and, for a socket, the provider has accepted it."""
    llm_first_token_seconds: _Seconds = 2.0
    """From the request to the first word or tool call."""
    tts_first_audio_seconds: _Seconds = 1.5
    """From the first text that can be spoken to the first sound."""
    realtime_first_audio_seconds: _Seconds = 1.25
    """From the end of the caller's turn to a realtime model's first sound or tool call. Then the
    pipeline begins with everything, so it needs more of the time that callers wait patiently."""
    idle_seconds: _Seconds = 1.5
    """Between two pieces of an answer or of speech that is not complete."""
    stt_no_text_seconds: _Seconds = 2.0
    """For which we hear a voice while the recogniser says nothing."""
    stt_final_seconds: _Seconds = 1.5
    """From the end of the voice to the final words."""


class ProviderSettings(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")
    api_keys: Mapping[str, str] = Field(default_factory=dict, repr=False)
    """The platform's own keys, by provider."""
    base_urls: Mapping[str, str] = Field(default_factory=dict)
    """Addresses that replace the vendors' own, by provider."""
    encryption_keys: tuple[str, ...] = Field((), repr=False)
    """Fernet keys that decrypt the tenants' own provider keys in call plans. Without them, calls
    that need such a key are refused."""
    deadlines: ProviderDeadlines = ProviderDeadlines()
    outbound_allowed_networks: tuple[str, ...] = ()
    """Private networks that the tools of agents and their custom endpoints may be in."""

    def base_url(self, provider: str) -> str:
        """Without a trailing slash. Raises ``KeyError`` for a provider that has no address."""
        return (self.base_urls.get(provider) or VENDOR_BASE_URLS[provider]).rstrip("/")
