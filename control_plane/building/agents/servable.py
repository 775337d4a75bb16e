"""Whether an agent could run, with what its tenant can use now. Pure.

Run it in a thread: resolving the stacks of 200 languages takes a third of a second.

What this build's workers can run does not count: an agent may wait for a worker that can run it.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Mapping

from contracts.agent_config import AgentConfig
from control_plane.building.agents.stacks import every_key, report_stacks
from control_plane.platform.errors import InvalidRequest
from pipelines.stack import AvailableKeys, StackCatalogue, StackProblem


def unservable_locales(
    config: AgentConfig, catalogue: StackCatalogue, keys: AvailableKeys
) -> dict[str, StackProblem]:
    """By locale, why no full stack can be resolved for it."""
    return report_stacks(config, catalogue.on_any_worker, keys).problems


def refuse_unservable(
    config: AgentConfig,
    catalogue: StackCatalogue,
    keys: AvailableKeys,
    before: AgentConfig | None = None,
) -> None:
    """
    Args:
        keys: what the tenant can use now. A managed agent is checked as if every provider had a
            key, because only a custom agent needs its stacks to be saved (API spec, "Agent").
        before: the agent before the update. A fault that it had even then is no reason to refuse
            the update, so drafts stay editable, and so do agents whose model, voice or key is gone.

    Raises:
        InvalidRequest: with one error for each locale without a full stack and each unknown voice.
    """
    faults = _faults(config, catalogue, keys)
    known = _faults(before, catalogue, keys) if faults and before is not None else {}
    errors = [error for fault, error in faults.items() if fault not in known]
    if errors:
        raise InvalidRequest(errors=errors)


def unservable_because(
    config: AgentConfig, catalogue: StackCatalogue, keys: AvailableKeys
) -> list[str]:
    """The same faults as sentences, for a draft."""
    return [error["message"] for error in _faults(config, catalogue, keys).values()]


def _faults(
    config: AgentConfig, catalogue: StackCatalogue, keys: AvailableKeys
) -> Mapping[Hashable, dict[str, str]]:
    """Each fault with the error that names its field."""
    usable = every_key(catalogue) if config.agent_kind == "managed" else keys
    faults: dict[Hashable, dict[str, str]] = {
        (locale, problem): {
            "field": _field(config, locale, problem),
            "message": f"{locale} cannot be served: {problem.reason}",
        }
        for locale, problem in unservable_locales(config, catalogue, usable).items()
    }
    for field, voice in _unknown_voices(config, catalogue):
        faults[field, voice] = {
            "field": field,
            "message": f"The catalogue has no voice {voice}: choose one that GET /v1/agents/voices "
            "lists.",
        }
    return faults


def _unknown_voices(config: AgentConfig, catalogue: StackCatalogue) -> Iterator[tuple[str, str]]:
    if config.agent_kind == "managed" or config.custom_voice_url:
        return  # The SKU decides the voice, or the tenant's own endpoint knows it.
    known = {voice.voice_id for voice in catalogue.voices}
    if config.voice not in known:
        yield "voice", config.voice
    if (persona_voice := config.persona.voice_config.voice_id) and persona_voice not in known:
        yield "persona.voiceConfig.voiceId", persona_voice


def _field(config: AgentConfig, locale: str, problem: StackProblem) -> str:
    """The field to change: the provider or model that the agent names, else its languages."""
    if getattr(config, problem.field, None):
        return problem.field
    return "supported_languages" if locale in config.supported_languages else "language"
