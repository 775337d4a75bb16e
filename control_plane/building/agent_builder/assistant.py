"""Answers the questions of people who are building an agent."""

from __future__ import annotations

import asyncio
import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Annotated, Any

from pydantic import BaseModel, ConfigDict, Field

from contracts.agent_config import AgentConfig
from control_plane.building.agent_builder import instructions
from control_plane.building.agent_builder.clean_text import (
    clean_text,
    clean_value,
    placeholders_in,
)
from control_plane.building.agent_builder.config_fields import as_body, is_valid_with, value_at
from control_plane.building.agent_builder.current_config import read_current_config
from control_plane.building.agent_builder.field_guide import BY_PATH, GUIDES, TOPICS, FieldGuide
from control_plane.building.agent_builder.local.editing import edit
from control_plane.building.agent_builder.platform_model import PlatformModel, unusable
from control_plane.building.agent_builder.schemas import Source
from control_plane.platform.language_model.completions import Message
from control_plane.platform.language_model.failures import ModelFailed
from pipelines.texts.model_commands import without_commands

_CHANGEABLE = (*BY_PATH, "language", "supported_languages")
_LONGEST_SHOWN = 300
_IS_QUESTION = re.compile(
    r"^(?:what|how|why|which|where|when|who|is|are|can i|do|does|should|could i|tell me|explain)\b",
    re.IGNORECASE,
)
_FILLER = frozenset(
    (
        "what how why which where when who is are can do does should could i my the a an to of for "
        "in on it agent me you tell explain about change set make field use with and or be this "
        "that want need please would like from at if so have has will they"
    ).split()
)
_MOST_FIELDS = 3


@dataclass(frozen=True)
class Reply:
    text: str
    changes: tuple[tuple[str, Any], ...]
    """Pairs of key and value, as ``POST /v1/agents/apply-changes`` takes them."""
    source: Source


class _SuggestedChange(BaseModel):
    model_config = ConfigDict(extra="forbid", strict=True)
    key: Annotated[str, Field(max_length=100)]
    value: Annotated[str, Field(max_length=8_000)]
    """The value as JSON text."""


class _Answer(BaseModel):
    model_config = ConfigDict(extra="forbid", strict=True)
    answer: Annotated[str, Field(min_length=1, max_length=6_000)]
    suggested_changes: Annotated[list[_SuggestedChange], Field(max_length=20)]


async def answer(
    question: str,
    current: Mapping[str, Any] | None,
    history: Sequence[Message],
    model: PlatformModel | None,
) -> Reply:
    """
    Args:
        current: the agent's configuration as the client sent it, if it did.
        history: the conversation so far, oldest message first.

    Raises:
        InvalidRequest: ``current`` is not valid.
    """
    config = read_current_config(current)
    variables = placeholders_in([question, str(as_body(config))])
    question = clean_text(question, variables=variables, keep_links=True)
    if model is not None:
        try:
            return await _by_model(question, config, history, variables, model)
        except ModelFailed:
            # The built-in answer has the source "local", which says that no model wrote it.
            pass
    return await asyncio.to_thread(_from_the_guide, question, config)


async def _by_model(
    question: str,
    config: AgentConfig,
    history: Sequence[Message],
    variables: frozenset[str],
    model: PlatformModel,
) -> Reply:
    """Raises ``ModelFailed``."""
    documentation = "\n".join(f"{guide.path}: {guide.purpose}" for guide in GUIDES)
    request = instructions.answering(question, documentation, as_body(config), history)
    found = await model.answer(_Answer, request)
    text = without_commands(clean_text(found.answer))
    if not text:
        raise unusable()
    changes = tuple(
        (change.key, value)
        for change in found.suggested_changes
        if (value := _acceptable(change, config, variables)) is not None
    )
    return Reply(text, changes, "llm")


def _acceptable(
    change: _SuggestedChange, config: AgentConfig, variables: frozenset[str]
) -> Any | None:
    """The value to suggest; ``None`` if the agent would not be valid with it."""
    if change.key not in _CHANGEABLE:
        return None
    try:
        value = json.loads(change.value)
    except ValueError:
        value = change.value
    except RecursionError:
        return None
    value = clean_value(value, variables=variables)
    if isinstance(value, str):
        value = without_commands(value)
    if not value:
        return None
    return value if is_valid_with(change.key, value, config) else None


def _from_the_guide(question: str, config: AgentConfig) -> Reply:
    if not question:
        return Reply(_overview(), (), "local")
    if not (_IS_QUESTION.match(question) or question.endswith("?")):
        edited = edit(question, config)
        changes = _changes(config, edited.config)
        if changes:
            named = ", ".join(key for key, _ in changes)
            missed = "".join(f" Not understood: {clause}." for clause in edited.not_understood)
            return Reply(f"This changes {named}.{missed}", changes, "local")
    found = _best_matches(question)
    if not found:
        return Reply(_overview(), (), "local")
    return Reply("\n\n".join(_described(item, config) for item in found), (), "local")


def _changes(before: AgentConfig, after: AgentConfig) -> tuple[tuple[str, Any], ...]:
    return tuple(
        (path, value)
        for path in _CHANGEABLE
        if (value := value_at(path, after)) != value_at(path, before) and value is not None
    )


def _best_matches(question: str) -> list[FieldGuide | str]:
    """The fields and topics that share the most words with the question."""
    words = {_stem(word) for word in re.findall(r"[a-z]+", question.lower())} - _FILLER
    lowered = question.lower()
    rated: list[tuple[int, FieldGuide | str]] = []
    for guide in GUIDES:
        named = 5 if guide.path.lower() in lowered or guide.path.split(".")[-1] in question else 0
        rated.append((named + _shared(words, guide.topics), guide))
    rated += [(_shared(words, topics), text) for topics, text in TOPICS]
    highest = max((rating for rating, _ in rated), default=0)
    if highest == 0:
        return []
    return [item for rating, item in rated if rating == highest][:_MOST_FIELDS]


def _shared(words: set[str], topics: str) -> int:
    return len(words & {_stem(word) for word in topics.split()})


def _stem(word: str) -> str:
    return word.removesuffix("s") if len(word) > 3 else word


def _described(item: FieldGuide | str, config: AgentConfig) -> str:
    if isinstance(item, str):
        return item
    value = value_at(item.path, config)
    if not value:
        return f"{item.path}: {item.purpose} It is empty now."
    shown = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
    shown = shown if len(shown) <= _LONGEST_SHOWN else f"{shown[:_LONGEST_SHOWN]}…"
    return f"{item.path}: {item.purpose} Now it is: {shown}"


def _overview() -> str:
    fields = ", ".join(guide.path for guide in GUIDES)
    return (
        "Without a language model I can explain an agent's fields and make plain changes, such as "
        '"rename it to Mia", "also ask for an email address" or "make it more formal". The fields '
        f"are {fields}. Publishing, voices, languages, silence, recording, models, tools and "
        "variables can be asked about as well."
    )
