"""``limit`` and ``offset``, as every list takes them."""

from __future__ import annotations

from typing import Annotated

from fastapi import Query

MAX_OFFSET = 2**63 - 1
"""PostgreSQL's bigint."""

Offset = Annotated[int, Query(ge=0, le=MAX_OFFSET)]
