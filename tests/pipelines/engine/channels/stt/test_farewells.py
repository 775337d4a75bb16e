from __future__ import annotations

import asyncio

from pipelines.engine.channels.stt.farewells import CLOSING_SECONDS, Farewells
from tests.runtime import virtual_time


class Recogniser:
    def __init__(self, seconds: float) -> None:
        self._seconds = seconds
        self.is_closed = self.is_forced = False

    async def aclose(self) -> None:
        try:
            await asyncio.sleep(self._seconds)
            self.is_closed = True
        except asyncio.CancelledError:
            # As a recogniser does that needs a moment to be closed by force.
            await asyncio.sleep(0.01)
            self.is_forced = True
            raise


def test_a_goodbye_takes_as_long_as_it_needs_while_the_call_goes_on() -> None:
    async def main() -> None:
        farewells, slow = Farewells(), Recogniser(10)
        farewells.begin(slow)
        await asyncio.sleep(10.1)
        assert slow.is_closed
        await farewells.aclose()

    virtual_time.run(main())


def test_the_end_of_a_call_closes_by_force_who_says_goodbye_for_long() -> None:
    async def main() -> None:
        farewells, quick, hanging = Farewells(), Recogniser(0.1), Recogniser(1_000)
        farewells.begin(quick)
        farewells.begin(hanging)
        began_at = asyncio.get_running_loop().time()
        await farewells.aclose()
        assert asyncio.get_running_loop().time() - began_at < CLOSING_SECONDS + 0.1
        assert quick.is_closed
        assert hanging.is_forced

    virtual_time.run(main())
