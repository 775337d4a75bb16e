"""Values in JSON bodies, which are never converted from another JSON type.

Numbers and booleans use pydantic's ``StrictFloat``, ``StrictInt`` and ``StrictBool``. Query
parameters are always text, so they do not use these types.
"""

from __future__ import annotations

from datetime import datetime
from typing import Annotated, Any

from pydantic import AwareDatetime, BeforeValidator
from pydantic_core import PydanticKnownError


def _iso_8601(value: Any) -> Any:
    """Refuses seconds since 1970, which pydantic would take, as a number or in a string."""
    is_date = isinstance(value, str) and "-" in value[1:]
    if not is_date and not isinstance(value, datetime):
        raise PydanticKnownError("datetime_type")
    return value


Timestamp = Annotated[AwareDatetime, BeforeValidator(_iso_8601)]
"""A date and time in ISO 8601 with a time zone."""
