"""``/v1/agents``."""

from __future__ import annotations

from uuid import UUID

from switchboard_client.models import (
    AgentCall,
    AgentCallList,
    AgentCreate,
    AgentCreated,
    AgentDeleted,
    AgentList,
    AgentListItem,
    AgentPublished,
    AgentUpdate,
    AgentUpdated,
    AgentView,
    Generated,
    GenerateRequest,
    Questions,
    RolledBack,
    VersionList,
    VersionSummary,
)
from switchboard_client.operation import (
    Body,
    Operation,
    body_document,
    delete,
    deleted,
    get,
    given,
    patch,
    post,
)
from switchboard_client.paging import Pages, by_last_id, by_offset
from switchboard_client.request import Request, at, query

Id = UUID | str
_WRITING_SECONDS = 60.0
"""For a language model, which may write a draft twice, and the built-in builder after it."""


def create(
    agent: AgentCreate | Body, *, idempotency_key: str | None = None
) -> Operation[AgentCreated]:
    """Save a new agent. It takes calls once it is published."""
    return post("/v1/agents", AgentCreated, agent).once(idempotency_key)


def generate(
    prompt: GenerateRequest | Body, *, idempotency_key: str | None = None
) -> Operation[Generated | Questions]:
    """Draft an agent from a description. The answer is ``Questions`` if that says too little."""
    request = Request("POST", "/v1/agents/generate", body=body_document(prompt))
    request = request.once(idempotency_key).patiently(_WRITING_SECONDS)
    return Operation(request, Generated | Questions)


def page(*, limit: int = 50, offset: int = 0) -> Operation[AgentList]:
    return get("/v1/agents", AgentList, query(limit=limit, offset=offset))


def every(*, page_size: int = 200) -> Pages[AgentList, AgentListItem]:
    """All agents. Pages are fetched as you iterate."""
    return by_offset(page(limit=page_size), lambda page: page.agents)


def show(agent_id: Id) -> Operation[AgentView]:
    """The whole agent, with its compiled prompt."""
    return get(at("/v1/agents/{}", agent_id), AgentView)


def update(agent_id: Id, changes: AgentUpdate | Body) -> Operation[AgentUpdated]:
    """Change the fields that ``changes`` names, and no others."""
    return patch(at("/v1/agents/{}", agent_id), AgentUpdated, changes)


def clone(agent_id: Id, *, idempotency_key: str | None = None) -> Operation[AgentCreated]:
    return post(at("/v1/agents/{}/clone", agent_id), AgentCreated).once(idempotency_key)


def remove(agent_id: Id) -> Operation[AgentDeleted]:
    """Delete the agent, with its knowledge sources and the numbers that you registered for it.
    Calls in progress go on."""
    return delete(at("/v1/agents/{}", agent_id), AgentDeleted, deleted(agent_id))


def publish(
    agent_id: Id, *, accept_limited: bool = False, idempotency_key: str | None = None
) -> Operation[AgentPublished]:
    """Freeze the agent into the next version, which new calls run. ``accept_limited`` publishes one
    of whose instructions the offline engine can follow less than two thirds.

    Raises ``AgentNotPublishReady`` with ``document["blockers"]`` when something is missing.
    """
    body = given(accept_limited=True) if accept_limited else None
    return post(at("/v1/agents/{}/publish", agent_id), AgentPublished, body).once(idempotency_key)


def versions(agent_id: Id, *, limit: int = 50, offset: int = 0) -> Operation[VersionList]:
    asked = query(limit=limit, offset=offset)
    return get(at("/v1/agents/{}/versions", agent_id), VersionList, asked)


def every_version(agent_id: Id) -> Pages[VersionList, VersionSummary]:
    """All published versions of the agent, newest first."""
    return by_offset(
        versions(agent_id, limit=200), lambda page: page.versions, lambda each: each.version
    )


def roll_back(
    agent_id: Id, version: int, *, restore_draft: bool = False, idempotency_key: str | None = None
) -> Operation[RolledBack]:
    """Serve an earlier version again. ``restore_draft`` also takes the editable agent back."""
    place = at("/v1/agents/{}/versions/{}/roll-back", agent_id, version)
    return post(place, RolledBack, given(restore_draft=restore_draft)).once(idempotency_key)


def calls(
    agent_id: Id,
    *,
    limit: int = 50,
    offset: int = 0,
    cursor: Id | None = None,
    status: str | None = None,
) -> Operation[AgentCallList]:
    """A page of the agent's calls, newest first. ``cursor`` is the id of the last call of the
    previous page."""
    asked = query(limit=limit, offset=offset, cursor=cursor, status=status)
    return get(at("/v1/agents/{}/calls", agent_id), AgentCallList, asked)


def every_call(agent_id: Id, *, status: str | None = None) -> Pages[AgentCallList, AgentCall]:
    """All of the agent's calls, newest first."""
    return by_last_id(calls(agent_id, limit=200, status=status), lambda page: page.calls)
