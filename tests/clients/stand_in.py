"""An API that answers what a test lays out, to either client."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Iterable
from typing import Any

import httpx2

from switchboard_client import AsyncSwitchboard, RetryPolicy, Switchboard

QUICK = RetryPolicy(most_attempts=3, first_wait_seconds=0.0)
SERVER = "http://switchboard.test"


class StandIn:
    """Answers in turn; the last answer again and again. An exception is raised instead."""

    def __init__(self, answers: Iterable[httpx2.Response | Exception]) -> None:
        self._answers = list(answers)
        self.requests: list[httpx2.Request] = []

    def __call__(self, request: httpx2.Request) -> httpx2.Response:
        self.requests.append(request)
        answer = self._answers.pop(0) if len(self._answers) > 1 else self._answers[0]
        if isinstance(answer, Exception):
            raise answer
        # A response can be read once.
        return httpx2.Response(answer.status_code, headers=answer.headers, content=answer.content)

    @property
    def bodies(self) -> list[Any]:
        return [json.loads(request.content) for request in self.requests]

    def keys(self) -> list[str | None]:
        return [request.headers.get("Idempotency-Key") for request in self.requests]


def answer(status: int, document: Any = None, **headers: str) -> httpx2.Response:
    names = {name.replace("_", "-"): value for name, value in headers.items()}
    return httpx2.Response(status, json=document, headers=names)


def problem(status: int, code: str, **members: Any) -> httpx2.Response:
    document = {"title": "No", "status": status, "code": code, "detail": f"{code}!"} | members
    return answer(status, document)


def blocking(stand_in: StandIn, retry: RetryPolicy = QUICK) -> Switchboard:
    return Switchboard(SERVER, "k", retry=retry, transport=httpx2.MockTransport(stand_in))


class Awaited:
    """The asynchronous client, called as the blocking one: ``Awaited(client).calls.show(id)``."""

    def __init__(self, target: Any) -> None:
        self._target = target

    def __getattr__(self, name: str) -> Any:
        member = getattr(self._target, name)
        if not callable(member):
            return Awaited(member)

        def call(*args: Any, **kwargs: Any) -> Any:
            return asyncio.run(_outcome(member(*args, **kwargs)))

        return call


async def _outcome(result: Any) -> Any:
    return [item async for item in result] if hasattr(result, "__aiter__") else await result


def awaited(stand_in: StandIn, retry: RetryPolicy = QUICK) -> Any:
    client = AsyncSwitchboard(SERVER, "k", retry=retry, transport=httpx2.MockTransport(stand_in))
    return Awaited(client)
