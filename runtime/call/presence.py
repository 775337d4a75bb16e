"""Who is in the room, when the call started, and how long it has been connected."""

from __future__ import annotations

from collections.abc import Callable
from uuid import UUID

from runtime.call.meter import Meter


class Presence:
    """``clock`` is monotonic, ``wall_clock`` the clock of the engine's time stamps; in seconds."""

    def __init__(self, clock: Callable[[], float], wall_clock: Callable[[], float]) -> None:
        self._clock = clock
        self._wall_clock = wall_clock
        self._meter = Meter(clock)
        self._here: set[UUID] = set()
        self._away: set[UUID] = set()
        self.started_at: float | None = None
        """When the first leg connected, on ``clock``. This is position 0 of the call."""

    @property
    def legs(self) -> frozenset[UUID]:
        """Who is in the call: here, or away."""
        return frozenset(self._here | self._away)

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
        self._away.discard(participant_id)
        self._here.add(participant_id)
        self._meter.run()
        if self.started_at is not None:
            return False
        self.started_at = self._clock()
        return True

    def interrupted(self, participant_id: UUID, silent_seconds: float) -> None:
        """Nothing has come from a leg for ``silent_seconds``. If nobody else is here, the meter
        holds, and takes these seconds back as far as it may."""
        self._here.discard(participant_id)
        self._away.add(participant_id)
        if not self._here:
            self._meter.hold(silent_seconds)

    def left(self, participant_id: UUID) -> None:
        """A leg is gone."""
        self._here.discard(participant_id)
        self._away.discard(participant_id)
        if not self._here:
            self._meter.hold()

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
