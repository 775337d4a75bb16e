"""An agent's configuration as a JSON document: checked when it comes in, complete when stored."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from pydantic import ValidationError

from contracts.agent_config import AgentConfig
from control_plane.platform.errors import InvalidRequest
from control_plane.platform.http.validation import field_errors

READ_ONLY = frozenset({"provider_config"})
"""Derived by the service; ignored if sent (API spec, "Agent")."""


def without_read_only(sent: Mapping[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in sent.items() if name not in READ_ONLY}


def checked(document: Mapping[str, Any]) -> AgentConfig:
    """
    Raises:
        InvalidRequest: naming each field that is unknown, missing or wrong.
    """
    try:
        # Names on the wire alone: with both names for a field in one document, one would be lost.
        return AgentConfig.model_validate(dict(document), by_alias=True, by_name=False)
    except ValidationError as error:
        found = error.errors(include_url=False, include_input=False)
        raise InvalidRequest(errors=field_errors(found)) from error


def stored_form(config: AgentConfig) -> dict[str, Any]:
    """Every field under its name on the wire."""
    return config.model_dump(mode="json", by_alias=True)
