"""Entity tags of agents: who read a revision changes that one and no later one (RFC 9110, 13)."""

from __future__ import annotations

from typing import Annotated

from fastapi import Header

from control_plane.building.agents.errors import PreconditionFailed
from control_plane.building.agents.models import Agent

IfMatch = Annotated[
    str | None,
    Header(
        alias="If-Match",
        description="An ETag as GET answered it. Refused with 412 if the agent has changed since. "
        "Without it the last writer wins, field by field.",
    ),
]


def entity_tag(agent: Agent) -> str:
    return f'"{agent.revision}"'


def check_if_match(agent: Agent, if_match: str | None) -> None:
    """
    Args:
        agent: found ``for_update``, so that its revision cannot change any more.
        if_match: the header, or ``None`` where there is none.

    Raises:
        PreconditionFailed: none of the tags in it is the agent's. Weak tags never are.
    """
    if if_match is None or if_match.strip() == "*":
        return
    present = entity_tag(agent)
    if present not in (tag.strip() for tag in if_match.split(",")):
        raise PreconditionFailed(f"The agent's ETag is {present}; read it again, then change it")
