"""Whether an agent can be published, and what its owner should know before. Pure."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from pydantic import BaseModel, ConfigDict, Field

from contracts.agent_config import AgentConfig
from control_plane.building.agents.publishing.advice import advice
from control_plane.building.agents.publishing.finding import Finding, PublishSubject
from control_plane.building.agents.publishing.gates import gates
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
            "fix": "Mend the tag, or put the text between {% raw %} and {% endraw %} if the braces "
            "are meant as they are.",
        }
    ],
    "warnings": [
        {
            "code": "end_message_missing",
            "field": "playbook.endCallMessage",
            "message": "There is no goodbye; the agent will end with a general one.",
            "fix": "Write the last sentence of a call.",
        }
    ],
}


class PublishReport(BaseModel):
    """``blockers`` stand in the way of publishing; ``warnings`` do not."""

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
    *,
    tier: str = "free",
    is_named: bool = True,
) -> PublishReport:
    """Look at everything that decides whether the agent can be published.

    Args:
        stacks: the agent's languages, resolved with what the tenant can use now.
        tools: which of the agent's tools can run on those stacks.
        tier: the tenant's.
        is_named: whether ``config.name`` is the owner's; a name may be wanting before it is saved.
    """
    subject = PublishSubject(config, stacks, tuple(tools), tier, is_named)
    blockers = tuple(gates(subject))
    return PublishReport(ready=not blockers, blockers=blockers, warnings=tuple(advice(subject)))
