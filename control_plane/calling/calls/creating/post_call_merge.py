"""Merges a call's own post-call settings into those of its agent. Pure."""

from __future__ import annotations

from typing import Any

from pydantic import BaseModel

from contracts.agent_config import PostCall


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
