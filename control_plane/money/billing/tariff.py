"""What a call's connected time costs, where its price changes while it runs. Pure."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

from contracts.money import BILLING_INCREMENT_SECONDS

_MS_PER_MINUTE = 60_000


class Rate(NamedTuple):
    from_ms: int
    """Connected milliseconds from which on it holds, until the next one does."""
    micros_per_minute: int


@dataclass(frozen=True)
class Tariff:
    """The rates of one call, of which the first holds from 0 on. None begins before the one that
    precedes it.

    What is billed beyond the connected time, to fill the last increment, costs the last rate.
    """

    rates: tuple[Rate, ...]

    @classmethod
    def flat(cls, micros_per_minute: int) -> Tariff:
        return cls((Rate(0, micros_per_minute),))

    def durations_ms(self, seconds: int) -> tuple[int, ...]:
        """How long each rate holds within ``seconds`` billable seconds."""
        end_ms = seconds * 1000
        starts = [min(rate.from_ms, end_ms) for rate in self.rates]
        ends = [*starts[1:], end_ms]
        return tuple(end - start for start, end in zip(starts, ends, strict=True))

    def charge_micros(self, seconds: int) -> int:
        """Price of ``seconds`` billable seconds. A fraction of a micro-dollar is rounded up once,
        on the total, as ``contracts.money.charge_micros`` does."""
        parts = zip(self.durations_ms(seconds), self.rates, strict=True)
        return -(-sum(ms * rate.micros_per_minute for ms, rate in parts) // _MS_PER_MINUTE)

    def payable_seconds(self, seconds: int, micros: int) -> int:
        """As many of ``seconds`` billable seconds as ``micros`` pays for, in whole increments."""
        while seconds > 0 and self.charge_micros(seconds) > micros:
            seconds -= BILLING_INCREMENT_SECONDS
        return seconds
