"""Records of agents as the API shows them. Pure."""

from __future__ import annotations

from typing import Any

from control_plane.building.agents.header_secrets import masked_tools
from control_plane.building.agents.models import Agent


def agent_view(agent: Agent) -> dict[str, Any]:
    """The full agent, JSON but for ids and times. What is stored is complete and was checked when
    it was written, so that reading it needs no model."""
    return public_config(agent.config) | {
        "id": agent.id,
        "provider_config": agent.provider_config,
        "compiled_prompt": agent.compiled_prompt,
        "published_version": agent.published_version,
        "created_at": agent.created_at,
        "updated_at": agent.updated_at,
    }


def public_config(config: dict[str, Any]) -> dict[str, Any]:
    """A stored configuration with its secrets masked and its languages written out."""
    languages, primary = config["supported_languages"], config["language"]
    return config | {
        "supported_languages": languages if primary in languages else [primary, *languages],
        "tools": masked_tools(config["tools"]),
    }
