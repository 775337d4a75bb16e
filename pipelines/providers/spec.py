"""What a provider of models is: a name, a condition and up to three factories."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from contracts.call_plan import CallPlan, ProviderChoice
from pipelines.call_actions import CallActions
from pipelines.settings import ProviderSettings

if TYPE_CHECKING:
    from livekit.agents import llm, stt, tts

    from pipelines.models import WarmModels


class ProviderUnavailable(RuntimeError):
    """The plan names a provider or model that this process cannot run."""


@dataclass(frozen=True)
class ModelRequest:
    """One channel of one call, for which a provider builds its part of the session."""

    choice: ProviderChoice
    plan: CallPlan
    models: WarmModels
    actions: CallActions


@dataclass(frozen=True)
class ProviderSpec:
    """A provider. A factory that is ``None`` is a channel that the provider does not serve.

    Factories import their SDK when called, never when this module is imported. They raise
    ``ProviderUnavailable`` for a model that they do not know or cannot run.
    """

    name: str
    is_available: Callable[[ProviderSettings], bool]
    """Whether the platform's own settings allow the provider to be used."""
    stt: Callable[[ModelRequest], stt.STT[Any]] | None = None
    llm: Callable[[ModelRequest], llm.LLM[Any]] | None = None
    tts: Callable[[ModelRequest], tts.TTS[Any]] | None = None
    preload: Callable[[], None] | None = None
    """Blocking imports that would otherwise delay the first call."""
