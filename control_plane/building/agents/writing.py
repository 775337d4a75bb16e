"""The one way in which an agent's record changes: everything derived from it changes with it."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Any

from sqlalchemy.ext.asyncio import AsyncSession

from contracts.agent_config import AgentConfig, Persona, Playbook
from contracts.tool_bindings import Handoff
from control_plane.building.agents import repository
from control_plane.building.agents.documents import stored_form
from control_plane.building.agents.models import Agent
from control_plane.building.agents.stacks import provider_config, report_stacks
from control_plane.building.agents.tenant_json_schemas import check_schemas
from control_plane.platform.errors import InvalidRequest
from control_plane.platform.tenancy.caller import Caller
from pipelines.stack import AvailableKeys, StackCatalogue
from pipelines.texts.prompt import compile_prompt
from pipelines.texts.prompt_extraction import extract_from_prompt


async def write(
    agent: Agent, config: AgentConfig, catalogue: StackCatalogue, keys: AvailableKeys
) -> bool:
    """Put ``config``, its compiled prompt and its resolved providers on the record.

    Returns:
        Whether anything changed. The row gets its next revision when it is flushed.
    """
    # An agent may have a megabyte of texts to compile.
    values = await asyncio.to_thread(_values, config, catalogue, keys)
    if all(getattr(agent, name) == value for name, value in values.items()):
        return False
    for name, value in values.items():
        setattr(agent, name, value)
    agent.updated_at = datetime.now(UTC)
    return True


def _values(config: AgentConfig, catalogue: StackCatalogue, keys: AvailableKeys) -> dict[str, Any]:
    return {
        "name": config.name,
        "config": stored_form(config),
        "provider_config": provider_config(config, report_stacks(config, catalogue, keys)),
        "compiled_prompt": compile_prompt(config, {}),
    }


async def check_content(
    session: AsyncSession, caller: Caller, config: AgentConfig, sent: Mapping[str, Any]
) -> None:
    """What the fields in ``sent`` hold beyond their types.

    Raises:
        InvalidRequest: a JSON Schema does not compile, or a hand-over names no agent of the tenant.
    """
    if sent.keys() & {"tools", "post_call"}:
        await check_schemas(config)
    if "tools" not in sent:
        return
    targets = {
        index: tool.agent_id for index, tool in enumerate(config.tools) if isinstance(tool, Handoff)
    }
    if not targets:
        return
    known = await repository.existing_ids(session, caller.tenant_id, set(targets.values()))
    for index, agent_id in targets.items():
        if agent_id not in known:
            raise InvalidRequest.at(f"tools[{index}].agent_id", "is not one of your agents")


async def with_extracted_prompt(
    config: AgentConfig, sent: Mapping[str, Any], before: AgentConfig | None = None
) -> AgentConfig:
    """A prompt sent alone in builder mode becomes persona and playbook (API spec, "Agent").

    Args:
        before: what the agent was. Persona and playbook that came from its former prompt, and were
            not edited since, come from the new one.
    """
    prompt = config.system_prompt
    is_builder = config.advanced.prompt_mode == "builder"
    if sent.get("system_prompt") is None or not is_builder or not (prompt or "").strip():
        return config
    former = None if before is None else before.system_prompt
    if not await asyncio.to_thread(_says_no_more_than_its_prompt, config, former):
        return config
    extracted = await asyncio.to_thread(extract_from_prompt, prompt or "", config.name)
    return config.model_copy(update={"persona": extracted.persona, "playbook": extracted.playbook})


def _says_no_more_than_its_prompt(config: AgentConfig, former_prompt: str | None) -> bool:
    if config.persona == Persona() and config.playbook == Playbook():
        return True
    if not former_prompt:
        return False
    extracted = extract_from_prompt(former_prompt, config.name)
    return (config.persona, config.playbook) == (extracted.persona, extracted.playbook)
