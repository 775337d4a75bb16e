"""Every provider that a call plan may name."""

from __future__ import annotations

from collections.abc import Mapping
from typing import get_args

from contracts.call_plan import Channel
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


def runnable_channels() -> Mapping[str, frozenset[Channel]]:
    """By provider, the channels that this build's media workers can serve with it, given a key.

    The catalogue promises nothing else. Imports neither the engine nor a vendor's SDK.
    """
    channels: tuple[Channel, ...] = get_args(Channel)
    return {
        spec.name: frozenset(channel for channel in channels if getattr(spec, channel) is not None)
        for spec in PROVIDERS
    }
