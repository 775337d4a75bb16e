"""Reads and checks single fields of an agent's configuration by their path. Pure.

A path is written as in a request body: ``playbook.opener``.
"""

from __future__ import annotations

from typing import Any

from pydantic import ValidationError

from contracts.agent_config import AgentConfig


def as_body(config: AgentConfig) -> dict[str, Any]:
    """The fields that differ from their defaults, as the API takes them."""
    return config.model_dump(mode="json", by_alias=True, exclude_defaults=True, exclude_none=True)


def value_at(path: str, config: AgentConfig) -> Any:
    """The field's value as JSON; ``None`` if it is empty."""
    found: Any = config.model_dump(mode="json", by_alias=True)
    for name in path.split("."):
        found = found[name]
    return found


def is_valid_with(path: str, value: Any, config: AgentConfig) -> bool:
    """Whether the configuration would be valid with ``value``, which is JSON, in the field."""
    body = config.model_dump(mode="json", by_alias=True)
    *parents, name = path.split(".")
    place = body
    for parent in parents:
        place = place[parent]
    place[name] = value
    try:
        AgentConfig.model_validate(body)
    except ValidationError:
        return False
    return True
