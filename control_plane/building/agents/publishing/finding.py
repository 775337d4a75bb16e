"""A finding about an agent, and everything that findings are looked for in."""

from __future__ import annotations

from dataclasses import dataclass

from pydantic import BaseModel, ConfigDict, Field

from contracts.agent_config import AgentConfig
from control_plane.building.agents.knowledge.pages import Pages
from control_plane.building.agents.publishing.handoff_targets import HandoffTargets
from control_plane.building.agents.stacks import StackReport
from control_plane.building.agents.tool_capabilities import BoundToolView


class Finding(BaseModel):
    model_config = ConfigDict(frozen=True)
    code: str = Field(description="The kind of finding, for programs.")
    field: str = Field(description="Path of the field to change.")
    message: str = Field(description="What is wrong, and why it matters.")
    fix: str = Field(description="What to do about it.")


@dataclass(frozen=True, slots=True)
class PublishSubject:
    config: AgentConfig
    stacks: StackReport
    tools: tuple[BoundToolView, ...]
    tier: str
    is_named: bool
    handoffs: HandoffTargets
    pages: Pages = ()
    accepts_limited: bool = False
    """Whether the caller of the API accepts that the offline engine follows only a part."""
