"""Entity tags of agents: clients change only the revision that they read (RFC 9110, 13)."""

from __future__ import annotations

from typing import Annotated

from fastapi import Header

from control_plane.building.agents.errors import PreconditionFailed
from control_plane.building.agents.models import Agent

IfMatch = Annotated[
    str | None,
    Header(
        alias="If-Match",
        description="The ETag that GET returned. If the agent has changed since, the answer is "
        "412. Without this header the last update of each field wins.",
    ),
]


def entity_tag(agent: Agent) -> str:
    return f'"{agent.revision}"'


def check_if_match(agent: Agent, if_match: str | None) -> None:
    """
    Args:
        agent: locked (``for_update``), so that its revision cannot change meanwhile.
        if_match: the header's value; ``None`` if it was not sent.

    Raises:
        PreconditionFailed: none of its tags is the agent's. Weak tags never match.
    """
    if if_match is None or if_match.strip() == "*":
        return
    present = entity_tag(agent)
    if present not in (tag.strip() for tag in if_match.split(",")):
        raise PreconditionFailed(
            f"The agent's ETag is now {present}. Read the agent again before you change it"
        )
