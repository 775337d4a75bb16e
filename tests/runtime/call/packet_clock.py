"""How long callers were connected, by the packets that came from them."""

from __future__ import annotations

from bisect import bisect_left
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass, field
from uuid import UUID

Span = tuple[float, float]


@dataclass
class PacketClock:
    """When packets of each participant came to the room, and from when to when each had no
    network; in seconds."""

    arrivals: dict[UUID, list[float]] = field(default_factory=lambda: defaultdict(list))
    outages: dict[UUID, list[Span]] = field(default_factory=lambda: defaultdict(list))
    """Only those in which the participant counts as away."""
    left_at: dict[UUID, float] = field(default_factory=dict)

    def connected_ms(self, now: float) -> float:
        """For how long anybody was connected until ``now``, each moment counted once."""
        spans = sorted(span for each in self.arrivals for span in self._heard(each, now))
        seconds, counted_until = 0.0, 0.0
        for begin, end in spans:
            seconds += max(0.0, end - max(begin, counted_until))
            counted_until = max(counted_until, end)
        return seconds * 1000

    def _heard(self, participant_id: UUID, now: float) -> Iterator[Span]:
        """From the first packet to the end, but for what lies between the last packet before an
        outage and the first one after it."""
        arrivals = self.arrivals[participant_id]
        begin = arrivals[0]
        for _, back_at in self.outages[participant_id]:
            first = bisect_left(arrivals, back_at)
            yield begin, arrivals[first - 1]
            begin = arrivals[first]
        yield begin, self.left_at.get(participant_id, now)
