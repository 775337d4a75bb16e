"""Whether an agent runs on its owner's provider keys. Pure."""

from __future__ import annotations

from collections.abc import Iterable

from contracts.call_plan import CallPlan, ResolvedStack
from contracts.versions import read_object
from control_plane.building.agents.models import Agent


def uses_owner_keys(agent: Agent) -> bool:
    """Whether any part of its stacks, spares included, is paid through the owner's own keys."""
    stacks = agent.provider_config.get("languages") or {}
    return _any_own(read_object(ResolvedStack, stack) for stack in stacks.values())


def runs_on_owner_keys(plan: CallPlan) -> bool:
    """As ``uses_owner_keys``, of all agents that the call can hand over to."""
    return _any_own(agent.stack for agent in plan.agents.values())


def _any_own(stacks: Iterable[ResolvedStack]) -> bool:
    return any(choice.key_source == "own" for stack in stacks for _, choice in stack.choices())
