"""``/v1/agents/{agent_id}/knowledge-sources``."""

from __future__ import annotations

from typing import Annotated
from uuid import UUID

from fastapi import APIRouter, Depends, Query, Request, Response, status

from control_plane.building.agents.errors import AgentNotFound
from control_plane.building.agents.tenant_addresses import TenantResolver
from control_plane.building.knowledge_sources import repository, service
from control_plane.building.knowledge_sources.errors import (
    KnowledgeBytesExceeded,
    KnowledgeOfPersona,
    KnowledgeShareUsedUp,
    KnowledgeSourceNotFound,
    KnowledgeSourcesExceeded,
    KnowledgeTooLarge,
    KnowledgeTooSlow,
    KnowledgeUnavailable,
    OnlyPagesAreRefreshed,
)
from control_plane.building.knowledge_sources.looking_up import Knowledge
from control_plane.building.knowledge_sources.schemas import (
    MOST_FILE_BYTES,
    MOST_TEXT_BYTES,
    KnowledgeFound,
    KnowledgeQuestion,
    KnowledgeSourceCreate,
    KnowledgeSourceCreated,
    KnowledgeSourceDetail,
    KnowledgeSourceList,
    KnowledgeSourceUpdate,
    KnowledgeSourceView,
)
from control_plane.building.knowledge_sources.uploads import upload_of
from control_plane.identity.authentication.dependencies import MemberCaller, TenantSession
from control_plane.identity.authentication.refusals import MEMBER_ONLY
from control_plane.identity.idempotent_requests.route import IdempotentRoute, OncePerKey
from control_plane.platform.errors import InvalidRequest, UnsupportedMediaType
from control_plane.platform.http.dependencies import AppDatabase, AppSettings
from control_plane.platform.http.openapi import problems
from control_plane.platform.http.own_body_limits import BodyLimit
from control_plane.platform.http.paging import Offset
from knowledge.embedding.embedder import embedder
from outbound.address import AddressRefused, check_address
from outbound.policy import OutboundPolicy

_PAGE_SCHEMES = frozenset({"http", "https"})


async def _fault_of_address(
    wanted: KnowledgeSourceCreate, settings: AppSettings, resolver: TenantResolver
) -> str | None:
    """Looked up without a session: the answer may take seconds."""
    if wanted.url is None:
        return None
    policy = OutboundPolicy(settings.outbound_allowed_networks)
    try:
        await check_address(wanted.url, policy, schemes=_PAGE_SCHEMES, resolver=resolver)
    except AddressRefused as error:
        return str(error)
    return None


FaultOfAddress = Annotated[str | None, Depends(_fault_of_address)]


async def _knowledge(request: Request) -> Knowledge:
    knowledge: Knowledge = request.app.state.knowledge
    return knowledge


AppKnowledge = Annotated[Knowledge, Depends(_knowledge)]
_NOT_READ = (KnowledgeUnavailable, KnowledgeTooSlow, KnowledgeShareUsedUp)
_OTHER_FIELDS_BYTES = 16_384
_TEXT_BODY = BodyLimit(3 * MOST_TEXT_BYTES + _OTHER_FIELDS_BYTES, may_have_long_texts=True)
"""JSON that escapes all but ASCII writes a byte as three at most."""
_FILE_BODY = BodyLimit(MOST_FILE_BYTES + _OTHER_FIELDS_BYTES, is_spooled=True)
SOFT_BREACH = "x-svc-quota-soft-breach"
router = APIRouter(
    prefix="/v1/agents/{agent_id}/knowledge-sources",
    tags=["agents"],
    responses=problems(*MEMBER_ONLY, AgentNotFound),
    route_class=IdempotentRoute,
)
_QUOTAS = (KnowledgeSourcesExceeded, KnowledgeBytesExceeded)
_FORM = {
    "requestBody": {
        "required": True,
        "content": {
            "multipart/form-data": {
                "schema": {
                    "type": "object",
                    "required": ["file"],
                    "properties": {
                        "file": {"type": "string", "format": "binary"},
                        "title": {"type": "string", "description": "Default: the filename."},
                    },
                }
            }
        },
    }
}


@router.post(
    "",
    status_code=status.HTTP_202_ACCEPTED,
    responses=problems(AgentNotFound, KnowledgeTooLarge, *_QUOTAS),
    dependencies=[Depends(_TEXT_BODY)],
)
async def add_knowledge_source(
    agent_id: UUID,
    wanted: KnowledgeSourceCreate,
    caller: MemberCaller,
    fault: FaultOfAddress,
    session: TenantSession,
    response: Response,
    _: OncePerKey,
) -> KnowledgeSourceCreated:
    """Add a text or a web page that the agent can look up in calls.

    It is ingested in the background: its `status` becomes `ready`, or `failed` with a reason. New
    calls can look it up from then on; the agent need not be published again.
    """
    await service.check_agent(session, caller.tenant_id, agent_id)
    if fault is not None:
        raise InvalidRequest.at("url", fault)
    source, is_above_soft = await service.add(session, caller, agent_id, wanted)
    _tell_soft_breach(response, is_above_soft)
    return KnowledgeSourceCreated.of(source)


@router.post(
    "/upload",
    status_code=status.HTTP_202_ACCEPTED,
    responses=problems(AgentNotFound, KnowledgeTooLarge, UnsupportedMediaType, *_QUOTAS),
    dependencies=[Depends(_FILE_BODY)],
    openapi_extra=_FORM,
)
async def upload_knowledge_source(
    agent_id: UUID,
    request: Request,
    caller: MemberCaller,
    session: TenantSession,
    response: Response,
    _: OncePerKey,
) -> KnowledgeSourceCreated:
    """Upload a file that the agent can look up in calls: txt, md, pdf, docx, html or json, up to
    10 MB. Its content must be of the kind that its name says."""
    await service.check_agent(session, caller.tenant_id, agent_id)
    upload = await upload_of(request)
    source, is_above_soft = await service.add_file(session, caller, agent_id, upload)
    _tell_soft_breach(response, is_above_soft)
    return KnowledgeSourceCreated.of(source)


@router.get("")
async def list_knowledge_sources(
    agent_id: UUID, caller: MemberCaller, session: TenantSession
) -> KnowledgeSourceList:
    """List the agent's knowledge sources, newest first, without their chunks."""
    await service.check_agent(session, caller.tenant_id, agent_id)
    sources = await repository.list_sources(session, caller.tenant_id, agent_id)
    return KnowledgeSourceList(sources=[KnowledgeSourceView.model_validate(s) for s in sources])


@router.post("/search", responses=problems(*_NOT_READ))
async def search_knowledge_sources(
    agent_id: UUID,
    wanted: KnowledgeQuestion,
    caller: MemberCaller,
    database: AppDatabase,
    settings: AppSettings,
    knowledge: AppKnowledge,
) -> KnowledgeFound:
    """Look a question up as the agent does in a call."""
    async with database.tenant_session(caller.tenant_id) as session:
        await service.check_agent(session, caller.tenant_id, agent_id)
        sources = await repository.searchable(session, caller.tenant_id, [agent_id])
    model = embedder(settings.embedding)
    found = await knowledge.found_in(model, sources, wanted.question, wanted.limit)
    return KnowledgeFound(results=found)


@router.get(
    "/{source_id}",
    responses=problems(AgentNotFound, KnowledgeSourceNotFound, *_NOT_READ),
)
async def get_knowledge_source(
    agent_id: UUID,
    source_id: UUID,
    caller: MemberCaller,
    database: AppDatabase,
    knowledge: AppKnowledge,
    chunks: Annotated[bool, Query(description="Whether to return its chunks.")] = False,
    limit: Annotated[int, Query(ge=1, le=200)] = 50,
    offset: Offset = 0,
) -> KnowledgeSourceDetail:
    """Return one source; with `chunks=true` also a page of its chunks."""
    async with database.tenant_session(caller.tenant_id) as session:
        source = await service.get(session, caller.tenant_id, agent_id, source_id)
    found = await knowledge.chunks_of(source, offset, limit) if chunks else None
    return KnowledgeSourceDetail(source=KnowledgeSourceView.model_validate(source), chunks=found)


@router.post(
    "/{source_id}/refresh",
    status_code=status.HTTP_202_ACCEPTED,
    responses=problems(AgentNotFound, KnowledgeSourceNotFound, OnlyPagesAreRefreshed),
)
async def refresh_knowledge_source(
    agent_id: UUID, source_id: UUID, caller: MemberCaller, session: TenantSession, _: OncePerKey
) -> KnowledgeSourceCreated:
    """Fetch a source's web page again. Until then, calls look up what it had before."""
    source = await service.refresh(session, caller, agent_id, source_id)
    return KnowledgeSourceCreated.of(source)


@router.patch(
    "/{source_id}",
    responses=problems(AgentNotFound, KnowledgeSourceNotFound, OnlyPagesAreRefreshed),
)
async def change_knowledge_source(
    agent_id: UUID,
    source_id: UUID,
    wanted: KnowledgeSourceUpdate,
    caller: MemberCaller,
    session: TenantSession,
) -> KnowledgeSourceCreated:
    """Change how often a source's web page is fetched again. The hours count from now."""
    source = await service.change_schedule(
        session, caller, agent_id, source_id, wanted.refresh_hours
    )
    return KnowledgeSourceCreated.of(source)


@router.delete(
    "/{source_id}",
    status_code=status.HTTP_204_NO_CONTENT,
    responses=problems(AgentNotFound, KnowledgeSourceNotFound, KnowledgeOfPersona),
)
async def delete_knowledge_source(
    agent_id: UUID, source_id: UUID, caller: MemberCaller, session: TenantSession
) -> None:
    """Delete a source with its chunks. Running calls may still look it up; new ones cannot."""
    await service.delete(session, caller, agent_id, source_id)


def _tell_soft_breach(response: Response, is_above_soft: bool) -> None:
    if is_above_soft:
        response.headers[SOFT_BREACH] = "true"
