"""Keys and addresses of speech and language providers."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

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


class ProviderSettings(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")
    api_keys: Mapping[str, str] = Field(default_factory=dict, repr=False)
    """The platform's own keys, by provider."""
    base_urls: Mapping[str, str] = Field(default_factory=dict)
    """Addresses that replace the vendors' own, by provider."""
    encryption_keys: tuple[str, ...] = Field((), repr=False)
    """Fernet keys that decrypt the tenants' own provider keys in call plans. Without them, calls
    that need such a key are refused."""

    def base_url(self, provider: str) -> str:
        """Without a trailing slash. Raises ``KeyError`` for a provider that has no address."""
        return (self.base_urls.get(provider) or VENDOR_BASE_URLS[provider]).rstrip("/")
