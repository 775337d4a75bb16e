"""Placing a call through the public API, and holding it."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable

from switchboard.caller.call_session import CallSession, PlacedCall
from switchboard.caller.conversation import Conversation
from switchboard.caller.prepared_speech import PreparedSpeech
from switchboard.caller.public_api import PublicApi
from switchboard.caller.reports import CallSummary, Placed, Report

IDENTITY = "command-line-caller"


async def place_call(api: PublicApi, agent_id: str, report: Callable[[Report], None]) -> PlacedCall:
    """Raises:
    ServerUnreachable, RequestRefused: no call was created.
    """
    requested_at = time.monotonic()
    created = await api.place_call(agent_id, IDENTITY)
    report(Placed(call_id=created["id"], agent_name=created["agent"]["name"]))
    access = created["participants"][0]["access"]
    return PlacedCall(created["id"], access["url"], access["token"], requested_at)


async def call_agent(
    api: PublicApi,
    agent_id: str,
    conversation: Conversation,
    speech: PreparedSpeech,
    report: Callable[[Report], None],
    stop: asyncio.Event,
) -> CallSummary:
    """One whole call with a synthetic caller; ``stop`` makes it leave early.

    Raises:
        CallProblem: the call could not be placed or connected.
    """
    call = await place_call(api, agent_id, report)
    return await CallSession(call, conversation, speech, report).run(stop)
