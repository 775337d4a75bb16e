"""``Clearable[T]``: a field that takes its default for ``null``."""

from __future__ import annotations

from typing import Annotated, Any, TypeVar

from pydantic import GetCoreSchemaHandler, GetJsonSchemaHandler
from pydantic.json_schema import JsonSchemaValue
from pydantic_core import CoreSchema, PydanticUseDefault, core_schema


def _default_for_null(sent: Any) -> Any:
    if sent is None:
        raise PydanticUseDefault
    return sent


class _NullClears:
    @staticmethod
    def __get_pydantic_core_schema__(source: Any, handler: GetCoreSchemaHandler) -> CoreSchema:
        return core_schema.no_info_before_validator_function(
            _default_for_null, core_schema.nullable_schema(handler(source))
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
"""A ``T`` in a field that has a default. ``null`` becomes that default."""
