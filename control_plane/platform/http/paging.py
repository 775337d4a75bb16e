"""The ``offset`` and ``cursor`` parameters of lists.

PostgreSQL reads and throws away every row that an offset skips, so offsets are limited. A page
behind a cursor costs the same wherever it is.
"""

from __future__ import annotations

from typing import Annotated
from uuid import UUID

from fastapi import Query
from pydantic import AfterValidator

MAX_OFFSET_OF_CALLS = 10_000
MAX_OFFSET = 1_000_000
"""For lists without a cursor, which are short."""


def _at_most(most: int, instead: str) -> AfterValidator:
    def check(offset: int) -> int:
        if offset > most:
            raise ValueError(f"must be at most {most}; {instead}")
        return offset

    return AfterValidator(check)


Offset = Annotated[
    int,
    Query(ge=0, json_schema_extra={"maximum": MAX_OFFSET}),
    _at_most(
        MAX_OFFSET,
        "only the lists of calls reach further, with 'cursor': use this list's filters, if it has"
        " some",
    ),
]
OffsetOfCalls = Annotated[
    int,
    Query(ge=0, json_schema_extra={"maximum": MAX_OFFSET_OF_CALLS}),
    _at_most(
        MAX_OFFSET_OF_CALLS,
        "to go further back, send the id of the last call of a page as 'cursor'",
    ),
]
CallCursor = Annotated[
    UUID | None,
    Query(
        description="The id of a call, such as the last one of the previous page: the page starts "
        "with the next older call. It takes you further than `offset`."
    ),
]
