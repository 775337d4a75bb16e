"""What is wrong with a JSON Schema before it is compiled. Pure."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from schema_sandbox.limits import fault_of_size

_DRAFTS = (
    "https://json-schema.org/draft/2020-12/schema",
    "https://json-schema.org/draft/2019-09/schema",
    "http://json-schema.org/draft-07/schema",
    "http://json-schema.org/draft-06/schema",
    "http://json-schema.org/draft-04/schema",
)


def fault_of_document(schema: Mapping[str, Any]) -> str | None:
    """That ``schema`` names an unknown draft or exceeds a limit, as the end of a sentence; ``None``
    if it does not."""
    declared = schema.get("$schema")
    if declared is not None and (
        not isinstance(declared, str) or declared.rstrip("#") not in _DRAFTS
    ):
        return "has a `$schema` that is not a published draft of JSON Schema (4 to 2020-12)"
    return fault_of_size(schema)
