"""``AtMost(n)``: the longest array that a client may send."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from pydantic import GetCoreSchemaHandler, ValidationInfo
from pydantic_core import CoreSchema, core_schema

from contracts.versions import IS_STORED


@dataclass(frozen=True)
class AtMost:
    """Refuses arrays with more items. One that was stored before there was a limit is cut instead:
    its owner must be able to read it, and nobody else may suffer from its length."""

    items: int

    def __get_pydantic_core_schema__(
        self, source: Any, handler: GetCoreSchemaHandler
    ) -> CoreSchema:
        limited: Any = {**handler(source), "max_length": self.items}
        return core_schema.with_info_before_validator_function(self._cut, limited)

    def _cut(self, value: Any, info: ValidationInfo) -> Any:
        is_stored = isinstance(info.context, Mapping) and info.context.get(IS_STORED)
        if is_stored and isinstance(value, list | tuple):
            return value[: self.items]
        return value
