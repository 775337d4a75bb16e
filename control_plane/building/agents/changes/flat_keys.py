"""Flat keys of an agent's fields: ``playbook.opener``, or just ``opener``.

A key is a path through the agent's objects. For fields of persona, playbook, advanced and features
the last name is enough if no other field has it: ``name`` and ``language`` are the agent's own, so
``persona.name`` needs its path. Arrays and JSON Schemas are values without keys of their own. Pure.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from functools import cache
from typing import Any

from pydantic import BaseModel

from contracts.agent_config import AgentConfig


@cache
def paths_of_keys() -> Mapping[str, str]:
    """The path of each key that may be sent."""
    paths = tuple(_paths(AgentConfig))
    times = Counter(_last(path) for path in paths)
    alone = {_last(path): path for path in paths if _may_stand_alone(path, times)}
    return alone | {path: path for path in paths}


def shortest_key(path: str) -> str:
    last = _last(path)
    return last if paths_of_keys().get(last) == path else path


def is_object(path: str) -> bool:
    """Whether ``path`` names an object of the agent, such as ``persona.voiceConfig``."""
    return path in _objects()


def flattened(document: Mapping[str, Any]) -> dict[str, Any]:
    """A document's values by key. Objects of the agent are flattened at any depth. Keys stay as
    they are."""
    return dict(_flattened(document, ""))


def nested(values: Mapping[str, Any]) -> dict[str, Any]:
    """The document with these values, given by path."""
    document: dict[str, Any] = {}
    for path, value in values.items():
        *parents, name = path.split(".")
        inner = document
        for parent in parents:
            inner = inner.setdefault(parent, {})
        inner[name] = value
    return document


def _paths(model: type[BaseModel], prefix: str = "") -> Iterator[str]:
    for name, field in model.model_fields.items():
        path = f"{prefix}{field.alias or name}"
        if isinstance(field.annotation, type) and issubclass(field.annotation, BaseModel):
            yield from _paths(field.annotation, f"{path}.")
        else:
            yield path


@cache
def _objects() -> frozenset[str]:
    """Paths of the agent's objects, such as ``persona`` and ``persona.voiceConfig``."""
    return frozenset(
        path[:end]
        for path in _paths(AgentConfig)
        for end, character in enumerate(path)
        if character == "."
    )


def _flattened(document: Mapping[str, Any], prefix: str) -> Iterator[tuple[str, Any]]:
    for name, value in document.items():
        key = f"{prefix}{name}"
        if isinstance(value, Mapping) and key in _objects():
            yield from _flattened(value, f"{key}.")
        else:
            yield key, value


def _may_stand_alone(path: str, times: Counter[str]) -> bool:
    # ``model`` and ``provider`` alone would seem to mean the conversation's.
    return times[_last(path)] == 1 and not path.startswith("post_call.")


def _last(path: str) -> str:
    return path.rpartition(".")[2]
