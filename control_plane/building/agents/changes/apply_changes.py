"""Checking and completing an assistant's changes to a flat configuration. Pure."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

from contracts.agent_config import AgentConfig
from control_plane.building.agents.changes.flat_keys import (
    flattened,
    is_object,
    nested,
    paths_of_keys,
    shortest_key,
)
from control_plane.building.agents.changes.implied_changes import implied_changes
from control_plane.building.agents.documents import READ_ONLY, checked
from control_plane.building.agents.publishing.timing_advice import (
    LONGEST_CALL_LIMIT_SECONDS,
    SHORTEST_CALL_LIMIT_SECONDS,
)
from control_plane.platform.errors import InvalidRequest

Mode = Literal["create", "edit"]
NOT_IN_EDIT_MODE = frozenset(
    {
        "agent_kind",
        "managed_sku_id",
        "custom_llm_url",
        "custom_voice_url",
        "custom_transcriber_url",
        "custom_voice_mode",
        "tools",
    }
)
"""Fields of an existing agent that an assistant may not change, because they decide what calls cost
and where their words and data go."""
_PLACEHOLDER = {"name": "-"}


@dataclass(frozen=True)
class Outcome:
    """If there are errors, nothing is applied and ``config`` is unchanged."""

    config: dict[str, Any]
    applied: list[tuple[str, Any]] = field(default_factory=list)
    """The changes, including those that they implied."""
    update: dict[str, Any] = field(default_factory=dict)
    """The same as a body for ``PATCH /v1/agents/{agent_id}``."""
    errors: list[dict[str, str]] = field(default_factory=list)
    warnings: list[str] = field(default_factory=list)


def apply_changes(
    current: Mapping[str, Any],
    changes: Iterable[tuple[str, Any]],
    mode: Mode,
    *,
    lenient: bool,
    is_realtime: Callable[[str], bool],
) -> Outcome:
    """
    Args:
        current: values by flat key. Nested objects are accepted, so the agent as GET returns it
            works, too.
        changes: flat keys and their new values, in order.
        lenient: leave unknown keys out with a warning, instead of applying nothing.
        is_realtime: tells whether a model id belongs to a realtime model.
    """
    work = _Work(mode, lenient)
    work.take_current(current)
    work.take_changes(changes)
    values = work.values | work.changed
    implied = implied_changes(values, work.changed, is_realtime)
    values |= implied
    work.check(values)
    if work.errors:
        return Outcome(dict(current), errors=work.errors, warnings=work.warnings)
    changed = work.changed | implied
    return Outcome(
        config={work.key_of(path): value for path, value in values.items()},
        applied=[(work.key_of(path), value) for path, value in changed.items()],
        update=nested(changed),
        warnings=work.warnings,
    )


class _Work:
    """Values by path, the keys that the client uses for them, and the errors so far."""

    def __init__(self, mode: Mode, lenient: bool) -> None:
        self._mode = mode
        self._lenient = lenient
        self._keys: dict[str, str] = {}
        self.values: dict[str, Any] = {}
        self.changed: dict[str, Any] = {}
        self.errors: list[dict[str, str]] = []
        self.warnings: list[str] = []

    def key_of(self, path: str) -> str:
        return self._keys.get(path) or shortest_key(path)

    def take_current(self, current: Mapping[str, Any]) -> None:
        for key, value in flattened(current).items():
            if key in READ_ONLY or (value is None and is_object(key)):
                continue
            if (path := paths_of_keys().get(key)) is None:
                self._unknown(key)
            else:
                self._keys[path] = key
                self.values[path] = value

    def take_changes(self, changes: Iterable[tuple[str, Any]]) -> None:
        for key, value in changes:
            for inner, item in _opened(key, value).items():
                self._change(inner, item)

    def check(self, values: Mapping[str, Any]) -> None:
        """The checks of creating and updating, which need no records."""
        try:
            checked(_PLACEHOLDER | nested(values))
        except InvalidRequest as refusal:
            self.fail_at(refusal.extra["errors"])
        duration = values.get("advanced.maxCallDuration", SHORTEST_CALL_LIMIT_SECONDS)
        if isinstance(duration, int | float) and not (
            SHORTEST_CALL_LIMIT_SECONDS <= duration <= LONGEST_CALL_LIMIT_SECONDS
        ):
            # Only enforced here (API spec, "Advanced").
            self._fail(
                self.key_of("advanced.maxCallDuration"),
                f"must be {SHORTEST_CALL_LIMIT_SECONDS} to {LONGEST_CALL_LIMIT_SECONDS} s, "
                f"not {duration}",
            )

    def _change(self, key: str, value: Any) -> None:
        path = paths_of_keys().get(key)
        if key in READ_ONLY:
            self._fail(key, "is derived by the service and cannot be changed")
        elif path is None:
            self._unknown(key)
        elif self._mode == "edit" and path in NOT_IN_EDIT_MODE:
            self._fail(
                key, "cannot be changed in mode 'edit'; change it with an update of the agent"
            )
        else:
            self._keys.setdefault(path, key)
            self.changed[path] = value

    def _unknown(self, key: str) -> None:
        if is_object(key):
            self._fail(key, "must be an object")
        elif self._lenient:
            self.warnings.append(f"{key} is not a field of an agent, so it was left out")
        else:
            self._fail(key, "is not a field of an agent")

    def fail_at(self, errors: Iterable[Mapping[str, str]]) -> None:
        """Fail with errors that name fields by path."""
        for found in errors:
            path, bracket, item = found["field"].partition("[")
            self._fail(f"{self.key_of(path)}{bracket}{item}", found["message"])

    def _fail(self, key: str, message: str) -> None:
        self.errors.append({"field": key, "message": message})


def _opened(key: str, value: Any) -> dict[str, Any]:
    """A change of an object as changes of its fields. ``null`` empties each field."""
    if not is_object(key):
        return {key: value}
    if value is None:
        empty = flattened(AgentConfig(name="-").model_dump(mode="json", by_alias=True))
        return {path: item for path, item in empty.items() if path.startswith(f"{key}.")}
    return flattened(nested({key: value}))
