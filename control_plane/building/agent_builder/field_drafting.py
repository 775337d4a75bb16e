"""Writes one field of an agent: with the language model, or with the built-in builder."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
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
from control_plane.building.agent_builder.config_fields import as_body, is_valid_with
from control_plane.building.agent_builder.current_config import read_current_config
from control_plane.building.agent_builder.errors import GenerationNotConfigured
from control_plane.building.agent_builder.field_guide import BY_PATH, FieldGuide, Kind
from control_plane.building.agent_builder.local.fields import draft_field
from control_plane.building.agent_builder.model_draft import (
    DraftedObjection,
    DraftedQuestion,
    DraftedScript,
    DraftedSlot,
    with_secrets,
)
from control_plane.building.agent_builder.platform_model import PlatformModel, unusable
from control_plane.building.agent_builder.schemas import Source
from control_plane.platform.errors import InvalidRequest
from control_plane.platform.language_model.failures import ModelFailed
from pipelines.texts.model_commands import without_commands

_STRICT = ConfigDict(extra="forbid", strict=True)
_Items = Field(max_length=40)


class _Text(BaseModel):
    model_config = _STRICT
    value: Annotated[str, Field(min_length=1, max_length=4_000)]


class _Texts(BaseModel):
    model_config = _STRICT
    value: Annotated[list[Annotated[str, Field(max_length=2_000)]], _Items]


class _Questions(BaseModel):
    model_config = _STRICT
    value: Annotated[list[DraftedQuestion], _Items]


class _Slots(BaseModel):
    model_config = _STRICT
    value: Annotated[list[DraftedSlot], _Items]


class _Objections(BaseModel):
    model_config = _STRICT
    value: Annotated[list[DraftedObjection], _Items]


class _Scripts(BaseModel):
    model_config = _STRICT
    value: Annotated[list[DraftedScript], _Items]


_Shape = _Text | _Texts | _Questions | _Slots | _Objections | _Scripts
_SHAPES: dict[Kind, type[_Shape]] = {
    "text": _Text,
    "texts": _Texts,
    "questions": _Questions,
    "slots": _Slots,
    "objections": _Objections,
    "scripts": _Scripts,
}


@dataclass(frozen=True)
class DraftedValue:
    value: Any
    source: Source
    warnings: tuple[str, ...] = ()


async def draft(
    path: str,
    instruction: str | None,
    current: Mapping[str, Any] | None,
    model: PlatformModel | None,
) -> DraftedValue:
    """Write a valid value for the field.

    Args:
        path: the field, for example ``playbook.opener``.
        current: the agent's configuration as the client sent it, if it did.

    Raises:
        InvalidRequest: the field cannot be drafted, or ``current`` is not valid.
        GenerationNotConfigured: the value cannot be written without a language model.
    """
    guide = BY_PATH.get(path)
    if guide is None:
        known = ", ".join(BY_PATH)
        raise InvalidRequest.at("field", f"cannot be drafted; the fields that can are: {known}")
    config = read_current_config(current)
    variables = placeholders_in([instruction or "", str(as_body(config))])
    cleaned = clean_text(instruction or "", variables=variables, keep_links=True)
    failure: tuple[str, ...] = ()
    if model is not None:
        try:
            return await _by_model(guide, cleaned, config, variables, model)
        except ModelFailed as error:
            failure = (f"{error}; the built-in builder wrote this instead.",)
    value = await asyncio.to_thread(draft_field, path, cleaned, config)
    if not value or not is_valid_with(path, value, config):
        raise GenerationNotConfigured(
            f"{path} cannot be written from this instruction without a language model. Put the "
            "exact words into the instruction, in quotation marks."
        )
    return DraftedValue(value, "local", failure)


async def _by_model(
    guide: FieldGuide,
    instruction: str,
    config: AgentConfig,
    variables: frozenset[str],
    model: PlatformModel,
) -> DraftedValue:
    """Raises ``ModelFailed``."""
    request = instructions.drafting_field(guide.path, guide.purpose, instruction, as_body(config))
    answer = await model.answer(_SHAPES[guide.kind], request)
    value = clean_value(answer.model_dump()["value"], variables=variables)
    if isinstance(value, str):
        value = without_commands(value)
    elif guide.kind == "texts":
        value = [text for item in value if (text := without_commands(item))]
    elif guide.kind == "slots":
        value = with_secrets(value, config.playbook.required_slots)
    if not value or not is_valid_with(guide.path, value, config):
        raise unusable()
    return DraftedValue(value, "llm")
