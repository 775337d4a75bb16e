"""Whether an agent runs on its owner's provider keys. Pure."""

from __future__ import annotations

from contracts.call_plan import ResolvedStack
from contracts.versions import read_object
from control_plane.building.agents.models import Agent


def uses_owner_keys(agent: Agent) -> bool:
    """Whether any part of its stacks, spares included, is paid through the owner's own keys."""
    stacks = agent.provider_config.get("languages") or {}
    return any(
        choice.key_source == "own"
        for stack in stacks.values()
        for _, choice in read_object(ResolvedStack, stack).choices()
    )
