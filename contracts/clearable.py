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

        return core_schema.no_info_after_validator_function(
            empty_for_null, core_schema.nullable_schema(handler(source))
        )

    @staticmethod
    def __get_pydantic_json_schema__(
        schema: CoreSchema, handler: GetJsonSchemaHandler
    ) -> JsonSchemaValue:
        shown = handler(schema)
        if handler.mode == "validation":
            return shown
        [what_is_kept] = [one for one in shown["anyOf"] if one != {"type": "null"}]
        return dict(what_is_kept)


_T = TypeVar("_T")
Clearable = Annotated[_T, _NullClears]
"""A ``T`` that can be called without arguments. ``null`` becomes ``T()``."""
