"""Writes a whole agent from a prompt, or changes an agent as a prompt asks."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

from pydantic import ValidationError

from contracts.agent_config import AgentConfig
from control_plane.building.agent_builder import instructions
from control_plane.building.agent_builder.clean_text import clean_text, placeholders_in
from control_plane.building.agent_builder.config_fields import as_body
from control_plane.building.agent_builder.current_config import read_current_config
from control_plane.building.agent_builder.local.clarification import Clarification, clarification
from control_plane.building.agent_builder.local.composition import compose
from control_plane.building.agent_builder.local.editing import edit
from control_plane.building.agent_builder.local.reading.languages import is_language_tag
from control_plane.building.agent_builder.model_draft import DraftedAnswer, configuration_of
from control_plane.building.agent_builder.platform_model import PlatformModel, unusable
from control_plane.building.agent_builder.schemas import LONGEST_PROMPT, Source
from control_plane.building.agent_builder.stack_hints import Hints, fit_to_catalogue
from control_plane.building.agents.partial_update import merged
from control_plane.platform.language_model.failures import ModelFailed
from pipelines.stack import AvailableKeys, StackCatalogue
from pipelines.texts.prompt import compile_prompt

_DRAFTED_FIELDS = frozenset(
    {
        "name",
        "voice",
        "language",
        "supported_languages",
        "llm_provider",
        "llm_model",
        "system_prompt",
        "persona",
        "playbook",
        "advanced",
    }
)
"""The fields that a draft can contain."""


@dataclass(frozen=True)
class Draft:
    """An agent's texts. Its voice and its models are not chosen yet."""

    config: AgentConfig
    source: Source
    warnings: tuple[str, ...]
    voice: str = ""
    """The voice that the prompt names; empty if it names none."""
    base: AgentConfig | None = None
    """The agent that the draft changes; ``None`` for a new one."""


@dataclass(frozen=True)
class NeedsAnswers:
    """Questions instead of a draft."""

    clarification: Clarification
    source: Source


@dataclass(frozen=True)
class FinishedDraft:
    body: dict[str, Any]
    """A body for ``POST /v1/agents``."""
    compiled_prompt: str
    warnings: tuple[str, ...]


async def write(
    prompt: str,
    current: Mapping[str, Any] | None,
    *,
    may_ask: bool,
    model: PlatformModel | None,
) -> Draft | NeedsAnswers:
    """Write the agent's texts with the model, or with the built-in builder if the model fails.

    Args:
        current: the configuration to change; ``None`` to write a new one.
        may_ask: return questions if the prompt says too little.
        model: ``None`` if the installation has no language model.

    Raises:
        InvalidRequest: ``current`` is not valid.
    """
    base = None if current is None else read_current_config(current)
    prompt = await asyncio.to_thread(_without_markup, prompt)
    failure: tuple[str, ...] = ()
    if model is not None:
        try:
            return await _by_model(prompt, base, may_ask=may_ask, model=model)
        except ModelFailed as error:
            failure = (f"{error}; the built-in builder wrote this draft instead.",)
    # Matching thousands of patterns against a long prompt would block the event loop.
    return await asyncio.to_thread(_by_builder, prompt, base, may_ask, failure)


def finish(
    draft: Draft, hints: Hints, catalogue: StackCatalogue, keys: AvailableKeys
) -> FinishedDraft:
    """Add a voice and a provider to the draft and make it a body for ``POST /v1/agents``.

    Run it in a thread: it resolves the stacks of all languages several times.
    """
    hints = replace(hints, voice=hints.voice or draft.voice or None)
    fitted = fit_to_catalogue(draft.config, hints, catalogue, keys)
    config = fitted.config
    body = _drafted_fields(config, exclude_defaults=draft.base is None)
    if draft.base is not None:
        body = merged(body, _emptied(_drafted_fields(draft.base), body))
    always = {"voice": config.voice, "llm_provider": config.llm_provider}
    body = {"persona": {}, "playbook": {}} | body | always
    return FinishedDraft(body, compile_prompt(config, {}), (*draft.warnings, *fitted.warnings))


def _drafted_fields(config: AgentConfig, *, exclude_defaults: bool = False) -> dict[str, Any]:
    return config.model_dump(
        mode="json",
        by_alias=True,
        include=set(_DRAFTED_FIELDS),
        exclude_none=True,
        exclude_defaults=exclude_defaults,
    )


def _emptied(before: Mapping[str, Any], after: Mapping[str, Any]) -> dict[str, Any]:
    """``null`` for each field that only ``before`` has: an update keeps what it does not name."""
    return {
        name: _emptied(value, after[name]) if name in after else None
        for name, value in before.items()
        if name not in after or isinstance(value, Mapping)
    }


async def _by_model(
    prompt: str, base: AgentConfig | None, *, may_ask: bool, model: PlatformModel
) -> Draft | NeedsAnswers:
    """Raises ``ModelFailed``."""
    current = None if base is None else as_body(base)
    request = instructions.drafting(prompt, current, may_ask=may_ask)
    answer = await model.answer(DraftedAnswer, request)
    if answer.agent is None:
        questions = tuple(
            text for item in answer.clarifying_questions if (text := clean_text(item, longest=300))
        )
        if not (may_ask and questions):
            raise unusable("The language model wrote no agent")
        blocker = "The prompt does not say enough to draft an agent."
        return NeedsAnswers(Clarification(questions, (blocker,)), "llm")
    start = base or AgentConfig(name="Agent")
    variables = placeholders_in([prompt, json.dumps(current or {})])
    try:
        config = await asyncio.to_thread(configuration_of, answer.agent, start, variables)
    except ValidationError as error:
        raise unusable("The language model's answer was not a valid agent") from error
    if is_language_tag(answer.agent.language):
        config = config.model_copy(update={"language": answer.agent.language})
    return Draft(config, "llm", (), base=base)


def _by_builder(
    prompt: str, base: AgentConfig | None, may_ask: bool, warnings: tuple[str, ...]
) -> Draft | NeedsAnswers:
    if base is not None:
        return _edited(prompt, base, may_ask, warnings)
    if may_ask and (missing := clarification(prompt)) is not None:
        return NeedsAnswers(replace(missing, warnings=(*warnings, *missing.warnings)), "local")
    written = compose(prompt)
    return Draft(written.config, "local", (*warnings, *written.warnings))


def _edited(
    prompt: str, base: AgentConfig, may_ask: bool, warnings: tuple[str, ...]
) -> Draft | NeedsAnswers:
    edited = edit(prompt, base)
    missed = tuple(
        f"Not understood without a language model and therefore ignored: {clause[:200]}"
        for clause in edited.not_understood
    )
    if may_ask and not edited.is_changed:
        question = (
            "Which field should change, and to what? For example: change the opener to "
            '"Hello, this is Mia.", also ask for an email address, or make it more formal.'
        )
        return NeedsAnswers(Clarification((question,), missed, warnings), "local")
    return Draft(edited.config, "local", (*warnings, *missed), edited.voice, base)


def _without_markup(prompt: str) -> str:
    """The prompt without markup. Variables and web addresses are the owner's own and stay."""
    return clean_text(
        prompt, longest=LONGEST_PROMPT, variables=placeholders_in([prompt]), keep_links=True
    )
