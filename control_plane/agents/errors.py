"""What can go wrong with agents."""

from __future__ import annotations

from collections.abc import Sequence
from http import HTTPStatus

from control_plane.errors import NotFound, Problem


class AgentNotFound(NotFound):
    code = "agent_not_found"
    title = "Agent not found"


class AgentNotPublishReady(Problem):
    """``blockers`` are sentences that say what stands in the way."""

    status = HTTPStatus.CONFLICT
    code = "agent_not_publish_ready"
    title = "The agent cannot be published as it is"

    def __init__(self, blockers: Sequence[str]) -> None:
        super().__init__(" ".join(blockers), blockers=list(blockers))
