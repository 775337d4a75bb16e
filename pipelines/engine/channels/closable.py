"""What a call closes when it is over."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable
from typing import Protocol


class Closable(Protocol):
    def aclose(self) -> Awaitable[None]: ...


async def close_all(*parts: Closable) -> None:
    """Close all of them at once, whatever one of them does. Then the first failure is raised."""
    outcomes = await asyncio.gather(*(part.aclose() for part in parts), return_exceptions=True)
    for outcome in outcomes:
        if isinstance(outcome, BaseException):
            raise outcome
