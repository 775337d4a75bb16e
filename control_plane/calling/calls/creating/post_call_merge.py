"""Merges a call's own post-call settings into those of its agent. Pure."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any

from pydantic import BaseModel, BeforeValidator

from contracts.agent_config import PostCall


def _with_cleared_parts(sent: Any) -> Any:
    """``null`` clears a part of an agent. Here it has to override each field of that part."""
    if not isinstance(sent, Mapping):
        return sent
    cleared = {
        part: default.model_dump()
        for part, default in PostCall()
        if part in sent and sent[part] is None
    }
    return {**sent, **cleared}


PostCallOverride = Annotated[PostCall, BeforeValidator(_with_cleared_parts)]
"""What a call sets in place of its agent's settings. ``model_fields_set`` tells which fields."""


def merge_post_call(default: PostCall, override: PostCall | None) -> PostCall:
    """``default`` with every field replaced that ``override`` sets, at any depth.

    A JSON schema is replaced as a whole, because two merged schemas would describe nothing.
    """
    if override is None:
        return default
    return PostCall.model_validate(_merged(default, override))


def _merged(default: BaseModel, override: BaseModel) -> dict[str, Any]:
    merged: dict[str, Any] = {}
    for name in type(default).model_fields:
        ours, theirs = getattr(default, name), getattr(override, name)
        if name not in override.model_fields_set:
            merged[name] = ours
        elif isinstance(ours, BaseModel) and isinstance(theirs, BaseModel):
            merged[name] = _merged(ours, theirs)
        else:
            merged[name] = theirs
    return merged
