"""Chooses the draft's voice, provider and model. Pure.

The client's hints are used if the catalogue has them, otherwise what the tenant can use today.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from contracts.agent_config import AgentConfig
from control_plane.building.agents.servable import unservable_locales
from control_plane.building.agents.stacks import every_key
from pipelines.stack import AvailableKeys, StackCatalogue, StackProblem, resolve_stack


@dataclass(frozen=True)
class Hints:
    """What the client would like; ``None`` if it does not say."""

    voice: str | None = None
    llm_provider: str | None = None
    llm_model: str | None = None


@dataclass(frozen=True)
class Fitted:
    config: AgentConfig
    warnings: tuple[str, ...]
    """Sentences about hints that were left out and about languages that cannot be served."""


def fit_to_catalogue(
    config: AgentConfig, hints: Hints, catalogue: StackCatalogue, keys: AvailableKeys
) -> Fitted:
    """Keep the languages that the catalogue can serve, and apply the hints that it can fulfil.

    A hint that the catalogue cannot fulfil is left out, with a warning.
    """
    config, warnings = _in_servable_languages(config, catalogue)
    changes: dict[str, str] = {}
    for change, warning in _applied_hints(hints, catalogue):
        changes |= change
        warnings += [warning] if warning else []
    hinted = config.model_copy(update=changes)
    if changes and unservable_locales(hinted, catalogue, every_key(catalogue)):
        warnings.append(
            f"The {', '.join(sorted(changes))} of the hints cannot serve {config.language}; the "
            "hints were left out."
        )
        hinted = config
    fitted = _with_defaults(hinted, changes, catalogue, keys)
    if fitted.llm_provider is None:
        warnings.append(_why_no_provider(fitted, catalogue, keys))
    warnings += [
        f"{locale} cannot be served yet: {problem.reason} Until then, save the agent as a draft."
        for locale, problem in unservable_locales(fitted, catalogue, keys).items()
        if locale != fitted.language
    ]
    return Fitted(fitted, tuple(warnings))


def voice_named(wanted: str, catalogue: StackCatalogue) -> str | None:
    """The id of the voice in the catalogue; ``wanted`` may differ in upper and lower case."""
    return next(
        (v.voice_id for v in catalogue.voices if v.voice_id.lower() == wanted.strip().lower()), None
    )


def _in_servable_languages(
    config: AgentConfig, catalogue: StackCatalogue
) -> tuple[AgentConfig, list[str]]:
    problems = unservable_locales(config, catalogue, every_key(catalogue))
    if not problems:
        return config, []
    served = [locale for locale in config.languages if locale not in problems]
    language = config.language if config.language not in problems else (served or ["en-US"])[0]
    reasons = [f"{locale} was left out: {problem.reason}" for locale, problem in problems.items()]
    kept = tuple(served) if len(served) > 1 else ()
    changed = config.model_copy(update={"language": language, "supported_languages": kept})
    return changed, reasons


def _applied_hints(hints: Hints, catalogue: StackCatalogue) -> Iterator[tuple[dict[str, str], str]]:
    """Each hint as a pair: the change that it makes, and a warning if it makes none."""
    if hints.voice:
        voice = voice_named(hints.voice, catalogue)
        if voice:
            yield {"voice": voice}, ""
        else:
            yield {}, f"The catalogue has no voice {hints.voice[:60]!r}; the hint was left out."
    models = [entry for entry in catalogue.models if "llm" in entry.channels]
    provider, model = hints.llm_provider, hints.llm_model
    if provider and provider not in {entry.provider for entry in models}:
        yield {}, f"There is no language model provider {provider[:60]!r}; the hint was left out."
        provider = None
    if model:
        found = next(
            (e for e in models if e.model == model and provider in (None, e.provider)), None
        )
        if found is None:
            of_provider = f" of {provider}" if provider else ""
            yield {}, f"There is no language model {model[:80]!r}{of_provider}; it was left out."
        else:
            yield {"llm_provider": found.provider, "llm_model": found.model}, ""
            return
    if provider:
        yield {"llm_provider": provider}, ""


def _with_defaults(
    config: AgentConfig, hinted: dict[str, str], catalogue: StackCatalogue, keys: AvailableKeys
) -> AgentConfig:
    """Fill in the provider and voice that a call would use today."""
    resolved = resolve_stack(config, catalogue, keys, config.language)
    if isinstance(resolved, StackProblem):
        return config
    defaults: dict[str, str] = {}
    if config.llm_provider is None:
        defaults["llm_provider"] = resolved.stack.llm.primary.provider
    is_default_voice = "voice" not in hinted and config.voice == AgentConfig(name="-").voice
    if is_default_voice and resolved.stack.tts.primary.voice:
        defaults["voice"] = resolved.stack.tts.primary.voice
    fitted = config.model_copy(update=defaults)
    if unservable_locales(fitted, catalogue, every_key(catalogue)):
        # The provider for the main language must not exclude the other languages.
        return fitted.model_copy(update={"llm_provider": config.llm_provider})
    return fitted


def _why_no_provider(config: AgentConfig, catalogue: StackCatalogue, keys: AvailableKeys) -> str:
    resolved = resolve_stack(config, catalogue, keys, config.language)
    if isinstance(resolved, StackProblem):
        return f"No call can be served here yet. {resolved.reason}"
    return "No language model serves all languages, so each language uses its own."
