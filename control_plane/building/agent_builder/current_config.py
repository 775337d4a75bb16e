"""A configuration that a client sends along, as it stands in the dashboard."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from pydantic import ValidationError

from contracts.agent_config import AgentConfig
from control_plane.platform.errors import InvalidRequest
from control_plane.platform.http.validation import field_errors

_OURS = frozenset(
    {
        "id",
        "provider_config",
        "compiled_prompt",
        "published_version",
        "created_at",
        "updated_at",
        "status",
    }
)
"""What reading an agent shows beside its configuration."""
_LEFT_ALONE = frozenset({"tools", "post_call", "features"})
"""Nothing here reads or writes them; a draft leaves them out, and an update keeps them."""
_UNNAMED = "Agent"


def read_current_config(sent: Mapping[str, Any] | None) -> AgentConfig:
    """The configuration, without what the service adds to it; an empty one for ``None``.

    Raises:
        InvalidRequest: a field of it is wrong, named as ``current_config.playbook.opener``.
    """
    known = {
        name: value
        for name, value in (sent or {}).items()
        if name not in _OURS and name not in _LEFT_ALONE
    }
    try:
        return AgentConfig.model_validate({"name": _UNNAMED} | known)
    except ValidationError as error:
        raise InvalidRequest(
            errors=[
                finding | {"field": f"current_config.{finding['field']}"}
                for finding in field_errors(error.errors())
            ]
        ) from error
