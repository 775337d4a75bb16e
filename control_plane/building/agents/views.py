"""Records of agents as the API shows them. Pure."""

from __future__ import annotations

from typing import Any

from control_plane.building.agents.header_secrets import masked_tools
from control_plane.building.agents.models import Agent


def agent_view(agent: Agent) -> dict[str, Any]:
    """The full agent, as JSON apart from ids and times. The stored document is complete and was
    checked when it was written, so no model has to read it again."""
    return public_config(agent.config) | {
        "id": agent.id,
        "provider_config": agent.provider_config,
        "compiled_prompt": agent.compiled_prompt,
        "published_version": agent.published_version,
        "created_at": agent.created_at,
        "updated_at": agent.updated_at,
    }


def public_config(config: dict[str, Any]) -> dict[str, Any]:
    """A stored configuration with masked secrets and the primary language among the supported
    ones."""
    languages, primary = config["supported_languages"], config["language"]
    return config | {
        "supported_languages": languages if primary in languages else [primary, *languages],
        "tools": masked_tools(config["tools"]),
    }
