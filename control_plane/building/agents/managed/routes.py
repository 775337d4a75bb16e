"""Moving an agent onto a managed SKU, and off it."""

from __future__ import annotations

from typing import Annotated, Any, Literal
from uuid import UUID

from fastapi import APIRouter, Response
from pydantic import BaseModel, ConfigDict, Field, StringConstraints

from contracts.agent_config import AgentConfig
from contracts.language_tag import LanguageTag
from contracts.versions import read_object
from control_plane.building.agents import service
from control_plane.building.agents.errors import AgentNotFound, PreconditionFailed
from control_plane.building.agents.managed.conversion import off_managed_sku, onto_managed_sku
from control_plane.building.agents.models import Agent
from control_plane.building.agents.revisions import IfMatch, entity_tag
from control_plane.building.agents.tenant_addresses import NO_ADDRESSES
from control_plane.building.catalogue.repository import stack_catalogue
from control_plane.building.provider_keys.dependencies import TenantKeys
from control_plane.identity.authentication.dependencies import MemberCaller, TenantSession
from control_plane.identity.authentication.refusals import MEMBER_ONLY
from control_plane.platform.http.dependencies import AppSettings
from control_plane.platform.http.openapi import problems

router = APIRouter(
    prefix="/v1/agents",
    tags=["agents"],
    responses=problems(*MEMBER_ONLY, AgentNotFound, PreconditionFailed),
)


class ApplyManagedSku(BaseModel):
    model_config = ConfigDict(
        extra="forbid",
        json_schema_extra={"example": {"managed_sku_id": "clear-english", "language": "en-US"}},
    )
    managed_sku_id: Annotated[str, StringConstraints(min_length=1, max_length=200)]
    language: LanguageTag | None = Field(
        None, description="The agent's new primary language. Default: its current one."
    )


class AgentMoved(BaseModel):
    status: Literal["updated"] = "updated"
    id: UUID
    agent_kind: Literal["custom", "managed"]
    managed_sku_id: str | None
    language: str
    supported_languages: list[str]
    dropped_languages: list[str] = Field(
        description="The agent's former languages that the managed SKU does not support."
    )
    provider_config: dict[str, Any]


@router.post("/{agent_id}/apply-managed-sku")
async def apply_managed_sku(
    agent_id: UUID,
    wanted: ApplyManagedSku,
    caller: MemberCaller,
    session: TenantSession,
    keys: TenantKeys,
    settings: AppSettings,
    response: Response,
    if_match: IfMatch = None,
) -> AgentMoved:
    """Use a managed SKU's models, voice and price. Publish the agent for this to take effect.

    This clears the agent's own choices of models and its custom endpoints.
    """
    agent = await service.locked_agent(session, caller, agent_id, if_match)
    before = read_object(AgentConfig, agent.config)
    changes = onto_managed_sku(
        before, await stack_catalogue(session), wanted.managed_sku_id, wanted.language
    )
    agent = await service.update_agent(
        session, caller, agent_id, changes, keys, settings, faults=NO_ADDRESSES
    )
    response.headers["ETag"] = entity_tag(agent)
    return _moved(agent, before)


@router.post("/{agent_id}/opt-out-to-custom")
async def opt_out_to_custom(
    agent_id: UUID,
    caller: MemberCaller,
    session: TenantSession,
    keys: TenantKeys,
    settings: AppSettings,
    response: Response,
    if_match: IfMatch = None,
) -> AgentMoved:
    """Make a managed agent custom. It keeps the SKU's models and voice as its own choices, and is
    billed for each of them plus the platform's fee. Publish the agent for this to take effect.

    Nothing changes for an agent that is already custom.
    """
    agent = await service.locked_agent(session, caller, agent_id, if_match)
    before = read_object(AgentConfig, agent.config)
    changes = off_managed_sku(before, await stack_catalogue(session), agent.provider_config)
    if changes:
        agent = await service.update_agent(
            session, caller, agent_id, changes, keys, settings, faults=NO_ADDRESSES
        )
    response.headers["ETag"] = entity_tag(agent)
    return _moved(agent, before)


def _moved(agent: Agent, before: AgentConfig) -> AgentMoved:
    config = read_object(AgentConfig, agent.config)
    return AgentMoved(
        id=agent.id,
        agent_kind=config.agent_kind,
        managed_sku_id=config.managed_sku_id,
        language=config.language,
        supported_languages=list(config.languages),
        dropped_languages=[tag for tag in before.languages if tag not in config.languages],
        provider_config=agent.provider_config,
    )
