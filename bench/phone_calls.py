"""How soon an agent on the phone speaks and falls silent, over the wire of each carrier.

    python -m bench.phone_calls [--calls 10] [--carriers twilio telnyx plivo vonage]

Switchboard runs in its real processes with offline models; the carriers are stand-ins on this
machine. One call is held after the other, ``--calls`` in each direction. The first word is measured
from the carrier's answer to the first audible 20 ms that it plays to the phone; what it costs to
open the websocket is in it. Then the person interrupts the greeting: a barge-in runs from the first
audible 20 ms of the person to the agent's last, as the phone hears it.
"""

from __future__ import annotations

import argparse
import asyncio
import statistics
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Literal

import numpy as np
from rich.console import Console
from rich.table import Table

from carriers.account import CarrierName
from tests.e2e.phones import OUR_NUMBERS, PERSON, PhoneSystem, phone_system
from tests.stand_ins.carriers.carrier import DialedPhone, StandInCarrier
from tests.stand_ins.carriers.phone import LOUD, Phone
from tests.stand_ins.carriers.sound import FRAME_MS, PHONE_HZ, spoken

INTERRUPTION = "Sorry, I have another question."
"""Said at the latest when the agent's greeting has been heard for 1.4 of its 5 seconds."""
RING_SECONDS = 1.0
HANG_UP_SECONDS = 30.0

Direction = Literal["in", "out"]


@dataclass
class Measured:
    first_word_ms: list[float] = field(default_factory=list)
    barge_in_ms: list[float] = field(default_factory=list)
    failed_calls: int = 0


async def hold_call(
    phones: PhoneSystem, carrier: StandInCarrier, direction: Direction, number: int
) -> tuple[float, float]:
    """The first word's and the barge-in's milliseconds.

    Raises:
        TimeoutError: the agent was not heard, or the call did not end.
    """
    phone, name = Phone(), carrier.wire.name
    if direction == "in":
        carrier.call_in(PERSON, OUR_NUMBERS[name], phone)
    else:
        carrier.phones[PERSON] = DialedPhone(phone, ring_seconds=RING_SECONDS)
        await phones.call_out(name)
    try:
        await phone.until(lambda: phone.heard_ms > 0)
        stream_began_at = asyncio.get_running_loop().time()
        (line,) = (each for each in carrier.lines.values() if not each.is_over)
        assert line.answered_at is not None
        await phone.until_heard(500 + number % 10 * 100)
        first_word_ms = (stream_began_at - line.answered_at) * 1000 + phone.loud_ms()[0]
        barge_in_ms = await interrupt(phone)
    finally:
        phone.hang_up()
    await asyncio.wait_for(line.ended.wait(), HANG_UP_SECONDS)
    await phones.ended()
    return first_word_ms, barge_in_ms


async def interrupt(phone: Phone) -> float:
    """Milliseconds until the agent, who is speaking, is silent.

    What it says once nothing of the person can be heard any more is its answer.
    """
    phone.say(INTERRUPTION)
    await phone.until_said()
    first_ms, last_ms = (phone.began_ms[0] + at for at in _audible_ms(INTERRUPTION))
    heard_ms = [at for at in phone.loud_ms(first_ms) if at < last_ms]
    return max(heard_ms) + FRAME_MS - first_ms if heard_ms else 0


def _audible_ms(text: str) -> tuple[int, int]:
    """From when until when something of ``text`` can be heard, in whole frames."""
    loud = np.flatnonzero(np.abs(spoken(text).astype(np.int32)) > LOUD)
    first, last = (int(at) * 1000 // PHONE_HZ // FRAME_MS for at in (loud[0], loud[-1]))
    return first * FRAME_MS, (last + 1) * FRAME_MS


async def measure(
    phones: PhoneSystem, name: CarrierName, direction: Direction, calls: int
) -> Measured:
    measured = Measured()
    for number in range(calls):
        # A call that fails must not disturb the next one.
        async with phones.carrier(name) as carrier:
            try:
                first_word_ms, barge_in_ms = await hold_call(phones, carrier, direction, number)
            except TimeoutError:
                measured.failed_calls += 1
            else:
                measured.first_word_ms.append(first_word_ms)
                measured.barge_in_ms.append(barge_in_ms)
    return measured


def percentiles(values_ms: Sequence[float]) -> list[str]:
    if len(values_ms) < 2:
        return ["-", "-"]
    cuts = statistics.quantiles(values_ms, n=20, method="inclusive")
    return [f"{cuts[9]:.0f}", f"{cuts[18]:.0f}"]


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    names = [name.value for name in CarrierName]
    parser.add_argument("--calls", type=int, default=10)
    parser.add_argument("--carriers", nargs="+", choices=names, default=names)
    options = parser.parse_args()
    table = Table(title=f"{options.calls} calls each; ms")
    for column in (
        "carrier",
        "direction",
        "first word p50",
        "p95",
        "barge-in p50",
        "p95",
        "failed",
    ):
        table.add_column(column, justify="right")
    spoken(INTERRUPTION)
    with phone_system() as phones:
        for name in options.carriers:
            directions: tuple[Direction, ...] = ("in", "out")
            for direction in directions:
                measured = asyncio.run(measure(phones, CarrierName(name), direction, options.calls))
                table.add_row(
                    name,
                    direction,
                    *percentiles(measured.first_word_ms),
                    *percentiles(measured.barge_in_ms),
                    str(measured.failed_calls),
                )
    Console().print(table)


if __name__ == "__main__":
    main()
