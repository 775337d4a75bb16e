"""Checks a tenant's JSON Schema before it is saved."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from control_plane.platform.json_schemas.limits import fault_of_size
from control_plane.platform.json_schemas.sandbox import SchemaSandbox

_DRAFTS = (
    "https://json-schema.org/draft/2020-12/schema",
    "https://json-schema.org/draft/2019-09/schema",
    "http://json-schema.org/draft-07/schema",
    "http://json-schema.org/draft-06/schema",
    "http://json-schema.org/draft-04/schema",
)


def fault_of(schema: Mapping[str, Any], sandbox: SchemaSandbox) -> str | None:
    """What is wrong with ``schema``, as the end of a sentence; ``None`` if it is valid. Opens no
    file and no connection. It blocks."""
    if (fault := fault_of_size(schema)) is not None:
        return fault
    declared = schema.get("$schema")
    if declared is not None and (
        not isinstance(declared, str) or declared.rstrip("#") not in _DRAFTS
    ):
        return "has a `$schema` that is not a published draft of JSON Schema (4 to 2020-12)"
    return sandbox.fault_of(schema)
