"""``/v1/agents/{agent_id}/versions``: listing, reading, comparing and rolling back."""

from __future__ import annotations

from typing import Annotated, Literal
from uuid import UUID

from fastapi import APIRouter, Path, Query

from control_plane.building.agents import repository, service
from control_plane.building.agents.errors import AgentNotFound, PreconditionFailed, VersionNotFound
from control_plane.building.agents.models import Agent, AgentVersion
from control_plane.building.agents.publishing.publication_hook import OnVersionPublished
from control_plane.building.agents.revisions import IfMatch
from control_plane.building.agents.versions import service as versions
from control_plane.building.agents.versions.schemas import (
    Change,
    RollBack,
    RolledBack,
    VersionDiff,
    VersionList,
    VersionSummary,
    VersionView,
)
from control_plane.building.agents.views import public_config
from control_plane.building.provider_keys.dependencies import TenantKeys
from control_plane.identity.authentication.dependencies import MemberCaller, TenantSession
from control_plane.identity.authentication.refusals import MEMBER_ONLY
from control_plane.identity.idempotent_requests.route import IdempotentRoute, OncePerKey
from control_plane.platform.http.openapi import problems
from control_plane.platform.http.paging import Offset

router = APIRouter(
    prefix="/v1/agents/{agent_id}/versions",
    tags=["agents"],
    responses=problems(*MEMBER_ONLY, AgentNotFound),
    route_class=IdempotentRoute,
)

Version = Annotated[int, Path(ge=1, le=2**31 - 1)]
Compared = Annotated[
    str,
    Path(
        pattern="^(draft|[1-9][0-9]{0,8})$",
        description="A version's number, or `draft` for the agent as it is now.",
        examples=["1", "draft"],
    ),
]


@router.get("")
async def list_versions(
    agent_id: UUID,
    caller: MemberCaller,
    session: TenantSession,
    limit: Annotated[int, Query(ge=1, le=200)] = 50,
    offset: Offset = 0,
) -> VersionList:
    """List the agent's published versions, newest first."""
    agent = await service.get_agent(session, caller.tenant_id, agent_id)
    found, total = await repository.list_versions(
        session, caller.tenant_id, agent_id, limit=limit, offset=offset
    )
    return VersionList(
        versions=[_summary(agent, version) for version in found],
        total=total,
        offset=offset,
        limit=limit,
        agent_id=agent_id,
    )


@router.get("/{version}", responses=problems(AgentNotFound, VersionNotFound))
async def get_version(
    agent_id: UUID, version: Version, caller: MemberCaller, session: TenantSession
) -> VersionView:
    """Return one version as calls run it."""
    agent, found = await versions.get_version(session, caller.tenant_id, agent_id, version)
    return VersionView(
        **_summary(agent, found).model_dump(),
        agent_id=agent_id,
        config=public_config(found.config),
        provider_config=found.provider_config,
        compiled_prompt=found.compiled_prompt,
    )


@router.get("/{before}/diff/{after}", responses=problems(AgentNotFound, VersionNotFound))
async def compare_versions(
    agent_id: UUID,
    before: Compared,
    after: Compared,
    caller: MemberCaller,
    session: TenantSession,
) -> VersionDiff:
    """Compare two versions, or a version and the agent as it is now."""
    sides = _side(before), _side(after)
    found = await versions.compare(session, caller.tenant_id, agent_id, *sides)
    return VersionDiff(
        agent_id=agent_id,
        before=sides[0],
        after=sides[1],
        changes=[
            Change(op=one.op, path=one.path, before=one.before, after=one.after) for one in found
        ],
    )


@router.post(
    "/{version}/roll-back", responses=problems(AgentNotFound, VersionNotFound, PreconditionFailed)
)
async def roll_back(
    agent_id: UUID,
    version: Version,
    caller: MemberCaller,
    session: TenantSession,
    keys: TenantKeys,
    on_version_published: OnVersionPublished,
    _: OncePerKey,
    wanted: RollBack | None = None,
    if_match: IfMatch = None,
) -> RolledBack:
    """Publish an earlier version again. The next call runs it.

    The snapshot is published byte for byte under the next version number. Running calls keep the
    version that they started with. The editable agent stays as it is unless ``restore_draft`` is
    true.
    """
    new, warnings = await versions.roll_back(
        session,
        caller,
        agent_id,
        version,
        keys,
        restore_draft=wanted is not None and wanted.restore_draft,
        if_match=if_match,
    )
    await on_version_published(session, new)
    return RolledBack(
        id=agent_id,
        version=new.version,
        restored_from=version,
        digest=new.digest,
        published_at=new.published_at,
        warnings=warnings,
    )


def _side(compared: str) -> int | Literal["draft"]:
    return versions.DRAFT if compared == versions.DRAFT else int(compared)


def _summary(agent: Agent, version: AgentVersion) -> VersionSummary:
    return VersionSummary(
        version=version.version,
        published_at=version.published_at,
        digest=version.digest,
        restored_from=version.restored_from,
        is_served=version.version == agent.published_version,
    )
