"""Writing an agent: everything that follows from its configuration is derived here, once a write.

No other module compiles a prompt or resolves stacks for something that is stored.
"""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any
from uuid import UUID

from sqlalchemy.ext.asyncio import AsyncSession

from contracts.agent_config import AgentConfig, Persona, Playbook
from contracts.tool_bindings import Handoff
from control_plane.building.agents import repository
from control_plane.building.agents.documents import stored_form
from control_plane.building.agents.knowledge.pages import (
    Pages,
    fitted,
    kept_pages,
    texts_of_pages,
)
from control_plane.building.agents.models import Agent
from control_plane.building.agents.stacks import StackReport, provider_config, report_stacks
from control_plane.building.agents.tenant_json_schemas import check_schemas
from control_plane.platform.errors import InvalidRequest
from control_plane.platform.tenancy.caller import Caller
from pipelines.stack import AvailableKeys, StackCatalogue
from pipelines.texts.agent_texts import TextFiller
from pipelines.texts.extraction.prompt_extraction import extract_from_prompt
from pipelines.texts.prompt import prompt_template
from pipelines.texts.prompt_template import PromptTemplate


@dataclass(frozen=True)
class Derived:
    """What follows from an agent's configuration, the catalogue and the tenant's keys."""

    stacks: StackReport
    provider_config: dict[str, Any]
    prompt: PromptTemplate
    compiled_prompt: str
    """``prompt`` without any variables."""


def derive(
    config: AgentConfig, catalogue: StackCatalogue, keys: AvailableKeys, pages: Pages
) -> Derived:
    """Resolve the stack of each language and compile the prompt with the texts of ``pages``.

    Run it in a thread: an agent may have a megabyte of texts to compile.
    """
    stacks = report_stacks(config, catalogue, keys)
    prompt = prompt_template(config, texts_of_pages(fitted(pages)))
    return Derived(stacks, provider_config(config, stacks), prompt, prompt.filled(TextFiller({})))


async def write(
    agent: Agent,
    config: AgentConfig,
    catalogue: StackCatalogue,
    keys: AvailableKeys,
    fetched: Pages = (),
) -> bool:
    """Write ``config`` and everything derived from it to the record.

    Args:
        fetched: pages that its knowledge base names, where they replace what the record has.

    Returns:
        Whether anything changed. The row gets its next revision when the session is flushed.
    """
    pages = kept_pages(config, agent.pages, fetched)
    derived = await asyncio.to_thread(derive, config, catalogue, keys, pages)
    values = {
        "name": config.name,
        "config": stored_form(config),
        "provider_config": derived.provider_config,
        "compiled_prompt": derived.compiled_prompt,
        "knowledge_pages": [page.document for page in pages],
    }
    if all(getattr(agent, name) == value for name, value in values.items()):
        return False
    for name, value in values.items():
        setattr(agent, name, value)
    agent.updated_at = datetime.now(UTC)
    return True


async def check_content(
    session: AsyncSession,
    caller: Caller,
    config: AgentConfig,
    sent: Mapping[str, Any],
    agent_id: UUID | None = None,
) -> None:
    """Check what types cannot: JSON Schemas and handoff targets in the fields of ``sent``.

    Args:
        agent_id: of the agent itself, if it has been saved.

    Raises:
        InvalidRequest: a JSON Schema does not compile, or a handoff leads to an agent that the
            tenant does not have, or to the agent itself.
    """
    if sent.keys() & {"tools", "post_call"}:
        await check_schemas(config, caller.tenant_id)
    if "tools" not in sent:
        return
    targets = {
        index: tool.agent_id for index, tool in enumerate(config.tools) if isinstance(tool, Handoff)
    }
    if not targets:
        return
    known = await repository.existing_ids(session, caller.tenant_id, set(targets.values()))
    for index, target in targets.items():
        if target not in known:
            raise InvalidRequest.at(f"tools[{index}].agent_id", "is not one of your agents")
        if target == agent_id:
            raise InvalidRequest.at(
                f"tools[{index}].agent_id", "is this agent itself; name another one of your agents"
            )


async def with_extracted_prompt(
    config: AgentConfig, sent: Mapping[str, Any], before: AgentConfig | None = None
) -> AgentConfig:
    """``config`` with persona and playbook taken from its prompt, if builder mode calls for that.

    In builder mode a prompt that is sent without persona and playbook becomes both (API spec,
    "Agent").

    Args:
        before: the agent before the update. Persona and playbook are replaced if they came from
            its previous prompt and have not been edited since.
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
