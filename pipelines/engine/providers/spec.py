"""A provider of models: a name and up to four factories."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from contracts.call_plan import CallPlan, ProviderChoice
from contracts.sealing import CannotOpen, Sealer
from pipelines.engine.call_actions import CallActions
from pipelines.engine.providers.process_parts import ProcessParts
from pipelines.settings import ProviderSettings

if TYPE_CHECKING:
    from livekit.agents import llm, stt, tts
    from livekit.agents.llm import RealtimeModel


class ProviderUnavailable(RuntimeError):
    """The plan names a provider, model or key that this process cannot use."""


@dataclass(frozen=True)
class ModelRequest:
    """One channel of one call, for which a provider builds a model."""

    choice: ProviderChoice
    plan: CallPlan
    models: ProcessParts
    actions: CallActions

    @property
    def base_url(self) -> str:
        return self.models.settings.base_url(self.choice.provider)

    @property
    def keywords(self) -> tuple[str, ...]:
        """The words that the recogniser should expect."""
        return split_keywords(self.plan.agent.advanced.stt_keywords)

    def api_key(self) -> str:
        """The key that pays for this channel: the tenant's own if the plan says so.

        Raises:
            ProviderUnavailable: there is none, or this worker cannot decrypt it.
        """
        provider, settings = self.choice.provider, self.models.settings
        if self.choice.key_source == "platform":
            key = settings.api_keys.get(provider)
            if not key:
                raise ProviderUnavailable(f"{provider} has no key")
            return key
        sealed = self.plan.sealed_provider_keys.get(provider)
        if sealed is None:
            raise ProviderUnavailable(f"the call plan has no key of the tenant for {provider}")
        unreadable = f"the tenant's key for {provider} cannot be decrypted"
        if not settings.encryption_keys:
            raise ProviderUnavailable(f"{unreadable}: this worker has no encryption keys")
        try:
            return Sealer(settings.encryption_keys).open(sealed)
        except CannotOpen:
            raise ProviderUnavailable(f"{unreadable} with this worker's encryption keys") from None


@dataclass(frozen=True)
class ProviderSpec:
    """A provider. If a factory is ``None``, the provider does not serve that channel.

    Factories import their SDK when they are called, not when this module is imported. They raise
    ``ProviderUnavailable`` for a model that they do not know or cannot run.
    """

    name: str
    needs_key: bool = True
    is_of_tenants: bool = False
    """Its address is a tenant's own, so that the platform has no models of it."""
    needs_address: bool = False
    """It can be used only if the operator has set its address."""
    stt: Callable[[ModelRequest], stt.STT[Any]] | None = None
    llm: Callable[[ModelRequest], llm.LLM[Any]] | None = None
    tts: Callable[[ModelRequest], tts.TTS[Any]] | None = None
    realtime: Callable[[ModelRequest], RealtimeModel] | None = None
    """Models that listen, think and speak. We find the turns of callers, not the provider."""
    plugin: str | None = None
    """The engine's module for this provider. Only the main thread may import it."""
    sdk: tuple[str, ...] = ()
    """Modules that the models need and that take long to import: they would hold up every call of
    the process. Any thread may import them."""
    prepare: Callable[[], None] | None = None
    """What else takes long when the SDK is first used. Any thread may call it, more than once."""

    def is_available(self, settings: ProviderSettings) -> bool:
        """Whether the provider can be used with the platform's ``settings``."""
        if self.is_of_tenants:
            return False
        if self.needs_address:
            return bool(settings.base_urls.get(self.name))
        return not self.needs_key or bool(settings.api_keys.get(self.name))


def split_keywords(keywords: str | None) -> tuple[str, ...]:
    """The comma-separated words of ``stt_keywords``, trimmed, in order, each once."""
    words = (word.strip() for word in (keywords or "").split(","))
    return tuple(dict.fromkeys(word for word in words if word))
