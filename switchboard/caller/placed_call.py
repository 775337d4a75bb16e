"""Placing a call through the public API."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass

from switchboard.caller.reports import Placed, Report
from switchboard.problems import client_errors_as_problems
from switchboard_client import AsyncSwitchboard

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
