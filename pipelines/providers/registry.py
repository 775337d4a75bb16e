"""Every provider that a call plan may name."""

from __future__ import annotations

from pipelines.providers.anthropic import ANTHROPIC
from pipelines.providers.cartesia import CARTESIA
from pipelines.providers.deepgram import DEEPGRAM
from pipelines.providers.elevenlabs import ELEVENLABS
from pipelines.providers.google import GOOGLE
from pipelines.providers.local.provider import LOCAL
from pipelines.providers.openai import OPENAI
from pipelines.providers.spec import ProviderSpec, ProviderUnavailable
from pipelines.settings import ProviderSettings

PROVIDERS: tuple[ProviderSpec, ...] = (
    LOCAL,
    OPENAI,
    GOOGLE,
    ANTHROPIC,
    DEEPGRAM,
    ELEVENLABS,
    CARTESIA,
)


def provider_named(name: str) -> ProviderSpec:
    """Raises ``ProviderUnavailable`` for a name that is not registered."""
    for spec in PROVIDERS:
        if spec.name == name:
            return spec
    raise ProviderUnavailable(f"there is no provider {name!r}")


def available_providers(settings: ProviderSettings) -> frozenset[str]:
    """Names of the providers that ``settings`` allow to be used."""
    return frozenset(spec.name for spec in PROVIDERS if spec.is_available(settings))
