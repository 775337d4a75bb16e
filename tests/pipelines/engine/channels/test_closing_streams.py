from __future__ import annotations

import asyncio

from pipelines.engine.channels.closing_streams import (
    CLOSE_SECONDS,
    PATIENCE_SECONDS,
    ClosingStreams,
)
from tests.runtime import virtual_time


class Stream:
    def __init__(self, seconds: float, error: Exception | None = None) -> None:
        self._seconds = seconds
        self._error = error
        self.is_closed = self.is_given_up = False

    async def aclose(self) -> None:
        try:
            await asyncio.sleep(self._seconds)
        except asyncio.CancelledError:
            self.is_given_up = True
            raise
        self.is_closed = True
        if self._error is not None:
            raise self._error


def test_a_stream_that_hangs_while_it_is_closed_keeps_nobody_waiting() -> None:
    async def main() -> None:
        closing, stream = ClosingStreams(), Stream(1_000)
        now = asyncio.get_running_loop().time
        await closing.closed(stream)
        assert now() <= PATIENCE_SECONDS
        await asyncio.sleep(CLOSE_SECONDS)
        assert stream.is_given_up

    virtual_time.run(main())


def test_a_stream_that_fails_while_it_is_closed_is_no_fault() -> None:
    async def main() -> None:
        stream = Stream(0, ConnectionError())
        await ClosingStreams().closed(stream)
        assert stream.is_closed

    virtual_time.run(main())


def test_the_end_of_the_call_waits_shortly_for_those_that_are_being_closed() -> None:
    async def main() -> None:
        closing, quick, hanging = ClosingStreams(), Stream(0.01), Stream(1_000)
        closing.close(quick)
        closing.close(hanging)
        await closing.aclose()
        await asyncio.sleep(0)
        assert quick.is_closed
        assert hanging.is_given_up

    virtual_time.run(main())
