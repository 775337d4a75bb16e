"""A WebRTC call with a caller who listens and says nothing, ended by its client.

It reads plain JSON, because the client's types are those of this release only.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass
from http import HTTPStatus
from typing import Any

import numpy as np

from switchboard_client import ApiError, AsyncSwitchboard
from switchboard_client.webrtc.leg import CallLeg
from tests.stand_ins.silence import Silence

CONNECT_ATTEMPTS = 3
RETRY_SECONDS = 2.0
OVER_SECONDS = 60.0
"""From the client's request to the bill."""


@dataclass(frozen=True)
class Outcome:
    call_id: str
    fault: str | None
    """``None``: the call was heard, completed and billed."""


async def silent_call(
    api: Callable[[], AsyncSwitchboard], agent_id: str, hold: Callable[[], Awaitable[object]]
) -> Outcome:
    """Call the agent, listen until ``hold`` returns, end the call and look at its record.

    Args:
        api: what to ask now; an upgrade can change it during the call.
    """
    call_id = ""
    heard_frames = 0

    async def listen(leg: CallLeg) -> None:
        nonlocal heard_frames
        async for frame in leg.listen():
            heard_frames += bool(np.abs(frame.samples).max() > 300)

    try:
        created = await api().request(
            "POST",
            "/v1/calls",
            body={
                "agent_id": agent_id,
                "participants": [{"transport": "webrtc", "identity": "silent"}],
            },
        )
        call_id = created["id"]
        access = created["participants"][0]["access"]
        async with _connected_leg(access["url"], access["token"]) as leg:
            listening = asyncio.create_task(listen(leg))
            await hold()
            await api().request("POST", f"/v1/calls/{call_id}/end")
            listening.cancel()
        record = await _over(api, call_id)
    except Exception as error:  # noqa: BLE001 - every fault of a call is the run's result
        return Outcome(call_id, f"{type(error).__name__}: {error}")
    return Outcome(call_id, _fault(record, heard_frames))


@asynccontextmanager
async def _connected_leg(url: str, token: str) -> AsyncIterator[CallLeg]:
    """Tries again on 503, as the answer advises."""
    for attempt in range(1, CONNECT_ATTEMPTS + 1):
        async with CallLeg(Silence()) as leg:
            try:
                await leg.connect(url, token)
            except ApiError as refused:
                if refused.status != HTTPStatus.SERVICE_UNAVAILABLE or attempt == CONNECT_ATTEMPTS:
                    raise
            else:
                yield leg
                return
        await asyncio.sleep(RETRY_SECONDS)


async def _over(api: Callable[[], AsyncSwitchboard], call_id: str) -> dict[str, Any]:
    async with asyncio.timeout(OVER_SECONDS):
        while True:
            record: dict[str, Any] = await api().request("GET", f"/v1/calls/{call_id}")
            if record["ended_at"] is not None:
                return record
            await asyncio.sleep(0.5)


def _fault(record: Mapping[str, Any], heard_frames: int) -> str | None:
    if record["status"] != "completed":
        return f"ended as {record['status']} ({record['end_reason']})"
    if not heard_frames:
        return "the agent was not heard"
    if not record["total_cost"]:
        return "nothing was charged"
    return None
