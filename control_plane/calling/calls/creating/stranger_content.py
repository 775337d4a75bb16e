"""What a call with a publishable key may bring along. Pure.

Anybody can use such a key. What they send is spoken by the agent, read by its model and kept in the
call's records.
"""

from __future__ import annotations

import json
from collections.abc import Collection, Mapping
from typing import Any

from control_plane.calling.calls.errors import KeyScopeViolation
from control_plane.calling.calls.schemas import CallRequest
from control_plane.platform.tenancy.caller import CallContentLimits

_SHOWN_CHARACTERS = 100


def check_content(request: CallRequest, limits: CallContentLimits) -> None:
    """
    Raises:
        KeyScopeViolation: the call has settings for its analysis, or more than ``limits`` allow.
    """
    if request.post_call is not None:
        raise KeyScopeViolation("A publishable key cannot set post_call; leave it out.")
    if len(request.participants) > limits.participants:
        raise KeyScopeViolation(
            "A call with this publishable key may have at most "
            f"{_counted(limits.participants, 'participant')}."
        )
    _check_variables(request.variables, limits)
    metadata = [request.metadata, *(each.metadata for each in request.participants)]
    # Empty metadata takes nothing, so that participants without any do not count.
    used = sum(len(_json(each).encode()) for each in metadata if each)
    if used > limits.metadata_bytes:
        raise KeyScopeViolation(
            "The metadata of a call with this publishable key may have at most "
            f"{_counted(limits.metadata_bytes, 'byte')} as JSON; this one has {used}."
        )


def check_declared(variables: Mapping[str, Any], declared: Collection[str]) -> None:
    """
    Args:
        declared: of dotted names the first part.

    Raises:
        KeyScopeViolation: the agent's texts do not use one of ``variables``.
    """
    for name in variables:
        if name.partition(".")[0] not in declared:
            raise KeyScopeViolation(
                "A call with this publishable key may only set variables that the agent's texts "
                f"use; they do not use '{name[:_SHOWN_CHARACTERS]}'."
            )


def _check_variables(variables: Mapping[str, Any], limits: CallContentLimits) -> None:
    if len(variables) > limits.variables:
        raise KeyScopeViolation(
            "A call with this publishable key may set at most "
            f"{_counted(limits.variables, 'variable')}."
        )
    for name, value in variables.items():
        text = value if isinstance(value, str) else _json(value)
        if max(len(name), len(text)) > limits.variable_characters:
            raise KeyScopeViolation(
                "The names and values of variables may have at most "
                f"{_counted(limits.variable_characters, 'character')} with this publishable key; "
                f"'{name[:_SHOWN_CHARACTERS]}' has more."
            )


def _counted(count: int, noun: str) -> str:
    return f"{count} {noun}" if count == 1 else f"{count} {noun}s"


def _json(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))
