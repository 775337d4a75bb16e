"""The report on whether an agent can be published. Pure."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from pydantic import BaseModel, ConfigDict, Field

from contracts.agent_config import AgentConfig
from control_plane.building.agents.knowledge.pages import Pages
from control_plane.building.agents.publishing.advice import advice
from control_plane.building.agents.publishing.finding import Finding, PublishSubject
from control_plane.building.agents.publishing.gates import gates
from control_plane.building.agents.publishing.handoff_targets import HandoffTargets
from control_plane.building.agents.stacks import StackReport
from control_plane.building.agents.tool_capabilities import BoundToolView

_EXAMPLE: dict[str, Any] = {
    "ready": False,
    "blockers": [
        {
            "code": "template_broken",
            "field": "playbook.opener",
            "message": "Line 1 of playbook.opener is not valid: expected token 'end of print "
            "statement', got 'day'.",
            "fix": "Correct the tag. If the braces are meant literally, put the text between "
            "{% raw %} and {% endraw %}.",
        }
    ],
    "warnings": [
        {
            "code": "end_message_missing",
            "field": "playbook.endCallMessage",
            "message": "There is no goodbye, so the agent uses a general one.",
            "fix": "Write the last sentence of a call.",
        }
    ],
}


class PublishReport(BaseModel):
    """``blockers`` prevent publishing; ``warnings`` do not."""

    model_config = ConfigDict(frozen=True, json_schema_extra={"example": _EXAMPLE})
    ready: bool = Field(description="Whether there are no blockers.")
    blockers: tuple[Finding, ...]
    warnings: tuple[Finding, ...]

    def with_blockers(self, found: Sequence[Finding]) -> PublishReport:
        blockers = (*self.blockers, *found)
        return PublishReport(ready=not blockers, blockers=blockers, warnings=self.warnings)


def publish_report(
    config: AgentConfig,
    stacks: StackReport,
    tools: Sequence[BoundToolView] = (),
    pages: Pages = (),
    *,
    tier: str = "free",
    is_named: bool = True,
    handoffs: HandoffTargets | None = None,
    accepts_limited: bool = False,
) -> PublishReport:
    """Check everything that decides whether the agent can be published.

    Args:
        stacks: of the agent's languages, resolved with what the tenant can use now.
        tools: which of the agent's tools can run on those stacks.
        pages: what the agent has of those that its knowledge base names.
        tier: the tenant's.
        is_named: whether the owner chose ``config.name``; an unsaved agent may have no name yet.
        handoffs: where the agent's handoffs lead to; ``None`` if it has none.
        accepts_limited: an agent of which the offline engine follows only a part is ready, too.
    """
    subject = PublishSubject(
        config,
        stacks,
        tuple(tools),
        tier,
        is_named,
        handoffs or HandoffTargets(),
        pages,
        accepts_limited,
    )
    blockers = tuple(gates(subject))
    return PublishReport(ready=not blockers, blockers=blockers, warnings=tuple(advice(subject)))
