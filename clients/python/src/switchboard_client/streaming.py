"""Follows a call's stream over HTTP, blocking and awaited. ``live_view`` decides what is next."""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator, Iterator

import httpx2

from switchboard_client.live_view import SILENCE_SECONDS, LiveEvent, LiveView
from switchboard_client.transport import (
    AsyncTransport,
    Transport,
    arguments_of,
    asked_of,
    reply_of,
    why,
)

_TIMEOUT = httpx2.Timeout(15.0, read=SILENCE_SECONDS)


def follow(transport: Transport, view: LiveView) -> Iterator[LiveEvent]:
    while not view.is_over:
        reason, asked_seconds = "", None
        try:
            with transport.http.stream(**arguments_of(view.request()), timeout=_TIMEOUT) as answer:
                if view.opened(answer.status_code):
                    for chunk in answer.iter_bytes():
                        yield from view.feed(chunk)
                else:
                    answer.read()
                    reply = reply_of(answer)
                    view.refused(reply)
                    reason, asked_seconds = str(reply.status), asked_of(reply)
        except httpx2.RequestError as error:
            reason = why(error)
        if not view.is_over:
            time.sleep(view.wait_seconds(reason, asked_seconds))


async def follow_async(transport: AsyncTransport, view: LiveView) -> AsyncIterator[LiveEvent]:
    while not view.is_over:
        reason, asked_seconds = "", None
        try:
            async with transport.http.stream(
                **arguments_of(view.request()), timeout=_TIMEOUT
            ) as answer:
                if view.opened(answer.status_code):
                    async for chunk in answer.aiter_bytes():
                        for event in view.feed(chunk):
                            yield event
                else:
                    await answer.aread()
                    reply = reply_of(answer)
                    view.refused(reply)
                    reason, asked_seconds = str(reply.status), asked_of(reply)
        except httpx2.RequestError as error:
            reason = why(error)
        if not view.is_over:
            await asyncio.sleep(view.wait_seconds(reason, asked_seconds))
