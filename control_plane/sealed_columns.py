"""Every column that holds secrets of tenants, and how they are sealed anew under a new key."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from sqlalchemy.orm import InstrumentedAttribute

from contracts.tool_bindings import SealedText
from control_plane.agents.models import Agent, AgentVersion
from control_plane.agents.snapshot import digest_of
from control_plane.provider_keys.models import ProviderKey

Reseal = Callable[[str], str]


@dataclass(frozen=True)
class SealedColumn:
    """``seal_anew`` returns the column's value with ``reseal`` applied to every secret in it."""

    column: InstrumentedAttribute[Any]
    seal_anew: Callable[[Any, Reseal], Any]
    computed: Mapping[str, Callable[[Any], Any]] = field(default_factory=dict)
    """Columns of the same row that are computed from the value, by name."""

    def __str__(self) -> str:
        return f"{self.column.class_.__tablename__}.{self.column.key}"


def text(value: str, reseal: Reseal) -> str:
    return reseal(value)


def json_document(value: Any, reseal: Reseal) -> Any:
    """Each ``SealedText`` in it, however deep."""
    if isinstance(value, dict):
        if value.keys() == SealedText.model_fields.keys():
            return value | {"sealed": reseal(value["sealed"])}
        return {name: json_document(item, reseal) for name, item in value.items()}
    if isinstance(value, list):
        return [json_document(item, reseal) for item in value]
    return value


def canonical_json(value: str, reseal: Reseal) -> str:
    """A snapshot's text, in the form that ``Snapshot.text`` gives it."""
    document = json_document(json.loads(value), reseal)
    return json.dumps(document, ensure_ascii=False, separators=(",", ":"), sort_keys=True)


SEALED_COLUMNS: tuple[SealedColumn, ...] = (
    SealedColumn(ProviderKey.sealed_key, text),
    SealedColumn(Agent.config, json_document),
    SealedColumn(AgentVersion.snapshot, canonical_json, {"digest": digest_of}),
)
"""The plans of calls are left out: a call that has begun needs its sealed keys no more, and one
that is waiting to begin does not wait long."""
