"""The longest array and the largest map that a client may send."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from pydantic import GetCoreSchemaHandler, ValidationInfo, ValidatorFunctionWrapHandler
from pydantic_core import CoreSchema, core_schema

from contracts.versions import IS_STORED


@dataclass(frozen=True)
class AtMost:
    """Refuses arrays with more items. One that was stored before there was a limit is cut instead:
    its owner must be able to read it, and it must not slow down other calls of the same process."""

    items: int

    def __get_pydantic_core_schema__(
        self, source: Any, handler: GetCoreSchemaHandler
    ) -> CoreSchema:
        limited: Any = {**handler(source), "max_length": self.items}
        return core_schema.with_info_before_validator_function(self._cut, limited)

    def _cut(self, value: Any, info: ValidationInfo) -> Any:
        if _is_stored(info) and isinstance(value, list | tuple):
            return value[: self.items]
        return value


@dataclass(frozen=True)
class AtMostEntries:
    """Of a ``dict[str, Any]``. Refuses maps with more entries. One that was stored before there was
    a limit stays whole: its entries belong together."""

    entries: int

    def __get_pydantic_core_schema__(
        self, source: Any, handler: GetCoreSchemaHandler
    ) -> CoreSchema:
        limited: Any = {**handler(source), "max_length": self.entries}
        return core_schema.with_info_wrap_validator_function(self._limit, limited)

    def _limit(
        self, value: Any, validate: ValidatorFunctionWrapHandler, info: ValidationInfo
    ) -> Any:
        is_longer = isinstance(value, dict) and len(value) > self.entries
        return value if is_longer and _is_stored(info) else validate(value)


def _is_stored(info: ValidationInfo) -> bool:
    return isinstance(info.context, Mapping) and bool(info.context.get(IS_STORED))
