"""An agent's configuration as a JSON document: checked on arrival, stored with every field."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from pydantic import ValidationError

from contracts.agent_config import AgentConfig
from control_plane.platform.errors import InvalidRequest
from control_plane.platform.http.validation import field_errors

READ_ONLY = frozenset(
    {"id", "provider_config", "compiled_prompt", "published_version", "created_at", "updated_at"}
)
"""Fields that a client can read but not set. They are ignored if sent (API spec, "Agent"), so that
an agent can be sent back as it was read."""


def without_read_only(sent: Mapping[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in sent.items() if name not in READ_ONLY}


def checked(document: Mapping[str, Any]) -> AgentConfig:
    """
    Raises:
        InvalidRequest: a field is unknown, missing or wrong. Each such field is named.
    """
    try:
        # Only the names on the wire: a document with both names of a field would lose one value.
        return AgentConfig.model_validate(dict(document), by_alias=True, by_name=False)
    except ValidationError as error:
        found = error.errors(include_url=False, include_input=False)
        raise InvalidRequest(errors=field_errors(found)) from error


def stored_form(config: AgentConfig) -> dict[str, Any]:
    """Every field under its name on the wire."""
    return config.model_dump(mode="json", by_alias=True)
