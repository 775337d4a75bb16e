"""Asking again until the answer is the one waited for."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from typing import Any, TypeVar

from switchboard_client import AsyncSwitchboard

_Answer = TypeVar("_Answer")

EVERY_SECONDS = 0.2


async def until(
    ask: Callable[[], Awaitable[_Answer]],
    accept: Callable[[_Answer], bool],
    within_seconds: float = 30.0,
) -> _Answer:
    """The first answer that ``accept`` takes.

    Raises:
        TimeoutError: there was none in time.
    """
    async with asyncio.timeout(within_seconds):
        while not accept(answer := await ask()):  # noqa: ASYNC110 - nothing notifies us
            await asyncio.sleep(EVERY_SECONDS)
    return answer


async def ended_call(
    api: AsyncSwitchboard, call_id: str, within_seconds: float = 30.0
) -> dict[str, Any]:
    """The call's record, once it has ended."""
    return await until(
        lambda: api.request("GET", f"/v1/calls/{call_id}"),
        lambda record: record["ended_at"] is not None,
        within_seconds,
    )
