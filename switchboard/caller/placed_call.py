"""Placing a call through the public API, and ending one that was never connected."""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator, Callable, Coroutine
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass
from typing import Any, TypeVar

from switchboard.caller.reports import Placed, Report
from switchboard.problems import Problem, client_errors_as_problems
from switchboard_client import AsyncSwitchboard, SwitchboardError

CALLER_IDENTITY = "command-line-caller"
CALL_ADVICE = {
    401: "Check --api-key, or the environment variable SWITCHBOARD_API_KEY.",
    402: "The account needs credit before it can call.",
    403: "This key may not place this call. Use a secret key of the agent's own account.",
    404: "Check the id: `switchboard agents list` shows the agents of this key's account.",
    409: "Publish the agent first: `switchboard agents publish ID` names what is missing.",
    503: "Switchboard cannot take the call right now. Try again in a moment.",
}
"""What to do when the API refuses a call, by HTTP status."""
_ANSWER_SECONDS = 3.0
"""How long a caller who hangs up still waits for the API."""

_Result = TypeVar("_Result")


class Stopped(Exception):
    """The caller has hung up before the call was connected."""


@dataclass(frozen=True)
class PlacedCall:
    """Where to connect. ``requested_at``: monotonic seconds of the request that placed the call."""

    call_id: str
    url: str
    token: str
    requested_at: float


async def place_call(
    api: AsyncSwitchboard, agent_id: str, report: Callable[[Report], None]
) -> PlacedCall:
    """Create a call with one browser participant.

    Raises:
        ServerUnreachable, RequestRefused: no call was created.
    """
    requested_at = time.monotonic()
    with client_errors_as_problems(CALL_ADVICE):
        created = await api.calls.create_webrtc(agent_id, CALLER_IDENTITY)
    report(Placed(call_id=str(created.id), agent_name=created.agent.name))
    access = created.participants[0].access
    return PlacedCall(str(created.id), access.url, access.token, requested_at)


@asynccontextmanager
async def placed_call(
    api: AsyncSwitchboard,
    agent_id: str,
    report: Callable[[Report], None],
    stop: asyncio.Event,
) -> AsyncIterator[PlacedCall]:
    """As ``place_call``, for a block that connects to the call. If it cannot, or is stopped before
    it has, the call is ended: the API would wait for its caller, and hold credit.

    Raises:
        Stopped: ``stop`` was set before the call was created.
        ServerUnreachable, RequestRefused: no call was created.
    """
    # The API may have created it already: only the answer says which call is to be ended.
    call = await unless_stopped(
        stop, place_call(api, agent_id, report), grace_seconds=_ANSWER_SECONDS
    )
    try:
        yield call
    except (Problem, Stopped):
        with suppress(SwitchboardError, TimeoutError):
            async with asyncio.timeout(_ANSWER_SECONDS):
                await api.calls.end(call.call_id)
        raise


async def unless_stopped(
    stop: asyncio.Event, work: Coroutine[Any, Any, _Result], *, grace_seconds: float = 0.0
) -> _Result:
    """
    Args:
        grace_seconds: how long the work may still take when ``stop`` is set.

    Raises:
        Stopped: ``stop`` was set before the work was done. It is cancelled.
    """
    if stop.is_set():
        work.close()
        raise Stopped
    working, stopping = asyncio.ensure_future(work), asyncio.ensure_future(stop.wait())
    try:
        await asyncio.wait({working, stopping}, return_when=asyncio.FIRST_COMPLETED)
        await asyncio.wait({working}, timeout=grace_seconds)
        if not working.done():
            raise Stopped
        return working.result()
    finally:
        stopping.cancel()
        working.cancel()
        await asyncio.wait({working})
