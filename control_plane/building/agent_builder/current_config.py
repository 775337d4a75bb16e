"""Reads the agent configuration that a client sends with its request."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from pydantic import ValidationError

from contracts.agent_config import AgentConfig
from control_plane.building.agents.documents import READ_ONLY
from control_plane.platform.errors import InvalidRequest
from control_plane.platform.http.validation import field_errors

_IGNORED = READ_ONLY | {"tools", "post_call", "features", "status"}
"""The builder neither reads nor writes these. A draft leaves them out, so an update keeps them."""
_UNNAMED = "Agent"


def read_current_config(sent: Mapping[str, Any] | None) -> AgentConfig:
    """Read a configuration and drop the fields that the service adds. ``None`` gives an empty one.

    Raises:
        InvalidRequest: a field is wrong; it is named like ``current_config.playbook.opener``.
    """
    known = {name: value for name, value in (sent or {}).items() if name not in _IGNORED}
    try:
        return AgentConfig.model_validate({"name": _UNNAMED} | known)
    except ValidationError as error:
        raise InvalidRequest(
            errors=[
                finding | {"field": f"current_config.{finding['field']}"}
                for finding in field_errors(error.errors())
            ]
        ) from error
