"""Who is in the room, when the call started, and how long it has been connected."""

from __future__ import annotations

from collections.abc import Callable
from uuid import UUID

from runtime.call.meter import Meter

_REMEMBERED_SECONDS = 30.0
"""Much longer than a leg can be silent before it counts as interrupted."""


class Presence:
    """``clock`` is monotonic, ``wall_clock`` the clock of the engine's time stamps; in seconds."""

    def __init__(self, clock: Callable[[], float], wall_clock: Callable[[], float]) -> None:
        self._clock = clock
        self._wall_clock = wall_clock
        self._meter = Meter(clock)
        self._here: dict[UUID, float] = {}
        """Since when each is here, on ``clock``."""
        self._away: set[UUID] = set()
        self._ended: list[tuple[float, float]] = []
        """From when to when others were here, lately."""
        self.started_at: float | None = None
        """When the first leg connected, on ``clock``. This is position 0 of the call."""

    @property
    def legs(self) -> frozenset[UUID]:
        """Who is in the call: here, or away."""
        return frozenset(self._here.keys() | self._away)

    @property
    def here(self) -> frozenset[UUID]:
        """Who can hear and be heard."""
        return frozenset(self._here)

    @property
    def away(self) -> frozenset[UUID]:
        """Whose connection is interrupted, and who may come back."""
        return frozenset(self._away)

    @property
    def connected_ms(self) -> int | None:
        return self._meter.connected_ms

    def joined(self, participant_id: UUID) -> bool:
        """A leg's media connected, perhaps again. Returns whether it is the first of the call."""
        now = self._clock()
        self._away.discard(participant_id)
        self._here.setdefault(participant_id, now)
        self._meter.run()
        if self.started_at is not None:
            return False
        self.started_at = now
        return True

    def interrupted(self, participant_id: UUID, silent_seconds: float) -> None:
        """Nothing has come from a leg for ``silent_seconds``. Of these, the meter takes back those
        in which nobody else was here, as far as it may."""
        now = self._clock()
        self._no_longer_here(participant_id, now - silent_seconds)
        self._away.add(participant_id)
        self._meter.take_back(self._nobody_seconds(now - silent_seconds, now))
        if not self._here:
            self._meter.hold()

    def left(self, participant_id: UUID) -> None:
        """A leg is gone."""
        self._no_longer_here(participant_id, self._clock())
        self._away.discard(participant_id)
        if not self._here:
            self._meter.hold()

    def _no_longer_here(self, participant_id: UUID, until: float) -> None:
        since = self._here.pop(participant_id, None)
        self._ended = [each for each in self._ended if each[1] > until - _REMEMBERED_SECONDS]
        if since is not None and since < until:
            self._ended.append((since, until))

    def _nobody_seconds(self, begin: float, end: float) -> float:
        """How long nobody was here between the two, as far as it is known."""
        present = [*self._ended, *((since, end) for since in self._here.values())]
        seconds, known_until = 0.0, begin
        for since, until in sorted(present):
            seconds += max(0.0, min(since, end) - known_until)
            known_until = max(known_until, until)
        return seconds + max(0.0, end - known_until)

    def over(self) -> None:
        """The call is over. Nothing is metered from now on, even if a leg is still there."""
        self._meter.hold()

    def position_ms(self, at: float | None = None) -> int:
        """Milliseconds from the call's start to ``at`` on the wall clock (now if ``None``).

        Counted back from now, so setting the wall clock during the call does no harm.
        """
        if self.started_at is None:
            return 0
        age_seconds = 0.0 if at is None else self._wall_clock() - at
        return max(0, round((self._clock() - self.started_at - age_seconds) * 1000))
