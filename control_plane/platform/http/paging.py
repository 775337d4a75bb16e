"""The ``offset`` parameter of lists."""

from __future__ import annotations

from typing import Annotated

from fastapi import Query

MAX_OFFSET = 2**63 - 1
"""The largest bigint of PostgreSQL."""

Offset = Annotated[int, Query(ge=0, le=MAX_OFFSET)]
