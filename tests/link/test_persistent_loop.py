"""Outages are survived with growing pauses and told once each."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from typing import Any

import pytest
from redis.exceptions import ConnectionError, ResponseError
from structlog.testing import capture_logs

from link.persistent_loop import run_persistently


class Link:
    """Fails or works as told, then cancels the loop."""

    def __init__(self, *outcomes: Exception | None) -> None:
        self._outcomes: Iterator[Exception | None] = iter(outcomes)

    async def attempt(self) -> None:
        try:
            outcome = next(self._outcomes)
        except StopIteration:
            raise asyncio.CancelledError from None
        if outcome is not None:
            raise outcome


@pytest.fixture
def pauses(monkeypatch: pytest.MonkeyPatch) -> list[float]:
    """What the loop slept, in seconds; no time passes."""
    slept: list[float] = []

    async def sleep(seconds: float) -> None:
        slept.append(seconds)

    monkeypatch.setattr("link.persistent_loop.asyncio.sleep", sleep)
    return slept


async def log_of(link: Link, **pauses: float) -> list[Any]:
    with capture_logs() as log, pytest.raises(asyncio.CancelledError):
        await run_persistently("events", link.attempt, **pauses)
    return log


LOST = ConnectionError("refused")


async def test_pauses_double_up_to_the_longest(pauses: list[float]) -> None:
    await log_of(Link(*[LOST] * 7))
    assert pauses == [0.1, 0.2, 0.4, 0.8, 1.6, 2.0, 2.0]


async def test_after_a_success_the_pauses_begin_again(pauses: list[float]) -> None:
    await log_of(Link(LOST, LOST, None, LOST), first_pause_seconds=0.2)
    assert pauses == [0.2, 0.4, 0.2]


async def test_with_one_length_the_pauses_stay_the_same(pauses: list[float]) -> None:
    await log_of(Link(*[LOST] * 3), first_pause_seconds=0.5, longest_pause_seconds=0.5)
    assert pauses == [0.5, 0.5, 0.5]


@pytest.mark.usefixtures("pauses")
async def test_each_outage_is_told_once_when_it_begins_and_once_when_it_ends() -> None:
    log = await log_of(Link(None, LOST, OSError(), TimeoutError(), None, None, TimeoutError()))
    assert log == [
        {"event": "link.lost", "loop": "events", "error": "refused", "log_level": "warning"},
        {"event": "link.restored", "loop": "events", "log_level": "info"},
        {"event": "link.lost", "loop": "events", "error": "TimeoutError", "log_level": "warning"},
    ]


async def test_a_refused_command_is_an_outage_and_a_bug_is_not(pauses: list[float]) -> None:
    await log_of(Link(ResponseError("LOADING")))
    assert pauses == [0.1]
    with pytest.raises(ZeroDivisionError):
        await run_persistently("events", Link(ZeroDivisionError()).attempt)
