"""``Clearable[T]``: a field that ``null`` empties."""

from __future__ import annotations

from typing import Annotated, Any, TypeVar, get_origin

from pydantic import GetCoreSchemaHandler, GetJsonSchemaHandler
from pydantic.json_schema import JsonSchemaValue
from pydantic_core import CoreSchema, core_schema


class _NullClears:
    @staticmethod
    def __get_pydantic_core_schema__(source: Any, handler: GetCoreSchemaHandler) -> CoreSchema:
        kind = get_origin(source) or source

        def empty_for_null(sent: Any) -> Any:
            return kind() if sent is None else sent

        return core_schema.no_info_before_validator_function(empty_for_null, handler(source))

    @staticmethod
    def __get_pydantic_json_schema__(
        schema: CoreSchema, handler: GetJsonSchemaHandler
    ) -> JsonSchemaValue:
        shown = handler(schema)
        if handler.mode == "serialization":
            return shown
        return {"anyOf": [shown, {"type": "null"}]}


_T = TypeVar("_T")
Clearable = Annotated[_T, _NullClears]
"""A ``T`` that can be built from nothing; ``null`` stands for that."""
