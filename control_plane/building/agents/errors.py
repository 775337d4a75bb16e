"""What can go wrong with agents."""

from __future__ import annotations

from collections.abc import Sequence
from http import HTTPStatus

from control_plane.building.agents.publishing.finding import Finding
from control_plane.platform.errors import NotFound, Problem


class AgentNotFound(NotFound):
    code = "agent_not_found"
    title = "Agent not found"


class AgentOfAnotherTenant(Problem):
    """For routes that answer 403 for another tenant's agent, and 404 only if there is none."""

    status = HTTPStatus.FORBIDDEN
    code = "agent_of_another_tenant"
    title = "The agent belongs to another tenant"


class VersionNotFound(NotFound):
    code = "agent_version_not_found"
    title = "The agent has no such version"


class PreconditionFailed(Problem):
    """``If-Match`` names a revision that is not the agent's current one."""

    status = HTTPStatus.PRECONDITION_FAILED
    code = "precondition_failed"
    title = "The agent has changed since you read it"


class AgentNotPublishReady(Problem):
    """Carries the report of validate-publish: ``ready``, ``blockers``, ``warnings``."""

    status = HTTPStatus.CONFLICT
    code = "agent_not_publish_ready"
    title = "The agent is not ready to be published"

    def __init__(self, blockers: Sequence[Finding], warnings: Sequence[Finding] = ()) -> None:
        super().__init__(
            " ".join(found.message for found in blockers),
            ready=False,
            blockers=[found.model_dump() for found in blockers],
            warnings=[found.model_dump() for found in warnings],
        )
