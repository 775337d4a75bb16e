"""An agent's configuration as a JSON document: checked on arrival, stored with every field."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from pydantic import ValidationError

from contracts.agent_config import AgentConfig
from control_plane.building.agents.changes.flat_keys import paths_of_keys
from control_plane.platform.errors import InvalidRequest
from control_plane.platform.http.validation import field_errors

READ_ONLY = frozenset(
    {"id", "provider_config", "compiled_prompt", "published_version", "created_at", "updated_at"}
)
"""Fields that a client can read but not set. They are ignored if sent (API spec, "Agent"), so that
an agent can be sent back as it was read."""


def own_fields(sent: Mapping[str, Any]) -> dict[str, Any]:
    """The fields that a client may set, each in its place: flat keys, as in the ``config`` of
    apply-changes, become nested.

    Raises:
        InvalidRequest: a field was sent both flat and nested.
    """
    document: dict[str, Any] = {}
    flat: dict[str, str] = {}
    for name, value in sent.items():
        # Other keys with dots are no paths: validation says that they are unknown.
        path = paths_of_keys().get(name, "")
        if name in READ_ONLY:
            continue
        if "." in path:
            flat[name] = path
        else:
            document[name] = value
    for key, path in flat.items():
        _put(document, key, path, sent[key])
    return document


def _put(document: dict[str, Any], key: str, path: str, value: Any) -> None:
    *parents, name = path.split(".")
    inner = document
    for parent in parents:
        below = inner.get(parent)
        if below is not None and not isinstance(below, Mapping):
            return  # Not an object: validation says so.
        inner[parent] = inner = dict(below or {})
    if name in inner:
        raise InvalidRequest.at(key, f"is sent twice; the other one is {path}")
    inner[name] = value


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
