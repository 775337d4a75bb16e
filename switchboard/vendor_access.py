"""The vendors' keys and addresses, in variables of our own or in those that the vendors name."""

from __future__ import annotations

from typing import Any, Literal

from pydantic import AliasChoices, BaseModel, ConfigDict, Field

from pipelines.settings import OPENAI_COMPATIBLE, VENDOR_BASE_URLS


def _variables(name: str, *others: str) -> AliasChoices:
    """Our own variable, which wins, or the vendor's."""
    return AliasChoices(f"SWITCHBOARD_{name}", name, *others)


def _key(name: str, *others: str) -> Any:
    return Field(None, repr=False, validation_alias=_variables(name, *others))


def _address(name: str) -> Any:
    return Field(None, validation_alias=_variables(name))


class VendorAccess(BaseModel):
    """What the operator of an installation has of each vendor. The command line reads these fields
    from the environment."""

    model_config = ConfigDict(frozen=True)

    openai_api_key: str | None = _key("OPENAI_API_KEY")
    openai_base_url: str | None = _address("OPENAI_BASE_URL")
    google_api_key: str | None = _key("GOOGLE_API_KEY", "GEMINI_API_KEY")
    google_base_url: str | None = _address("GOOGLE_BASE_URL")
    anthropic_api_key: str | None = _key("ANTHROPIC_API_KEY")
    anthropic_base_url: str | None = _address("ANTHROPIC_BASE_URL")
    deepgram_api_key: str | None = _key("DEEPGRAM_API_KEY")
    deepgram_base_url: str | None = _address("DEEPGRAM_BASE_URL")
    elevenlabs_api_key: str | None = _key("ELEVENLABS_API_KEY", "ELEVEN_API_KEY")
    elevenlabs_base_url: str | None = _address("ELEVENLABS_BASE_URL")
    cartesia_api_key: str | None = _key("CARTESIA_API_KEY")
    cartesia_base_url: str | None = _address("CARTESIA_BASE_URL")
    openai_compatible_base_url: str | None = _address("OPENAI_COMPATIBLE_BASE_URL")
    """The root of your own server's API, such as ``http://127.0.0.1:11434/v1``."""
    openai_compatible_api_key: str | None = _key("OPENAI_COMPATIBLE_API_KEY")
    """If your server wants one."""

    @property
    def provider_keys(self) -> frozenset[str]:
        """Providers whose platform key is set, and the operator's own server if there is one."""
        own = {OPENAI_COMPATIBLE} if self.openai_compatible_base_url else set()
        return frozenset(self.by_provider("api_key").keys() - {OPENAI_COMPATIBLE} | own)

    def by_provider(self, what: Literal["api_key", "base_url"]) -> dict[str, str]:
        """Those that are set."""
        names = (*VENDOR_BASE_URLS, OPENAI_COMPATIBLE)
        found = {name: getattr(self, f"{name}_{what}") for name in names}
        return {name: value for name, value in found.items() if value}
