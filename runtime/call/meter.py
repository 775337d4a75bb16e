"""The connected time of one call, which the bill is based on."""

from __future__ import annotations

from collections.abc import Callable

MOST_TAKEN_BACK_SECONDS = 30.0
"""How much of a call is taken back at most, because nothing came from the caller. The agent speaks
on until the caller counts as away, so without a limit a client that pauses again and again would
listen for nothing. Each interruption takes back two and a half to three seconds, so ten of them are
billed exactly."""


class Meter:
    """Counts while at least one leg's media is connected.

    ``clock`` is monotonic and in seconds. Any method may be called at any time; calling it twice
    changes nothing.
    """

    def __init__(self, clock: Callable[[], float]) -> None:
        self._clock = clock
        self._counted_seconds = 0.0
        self._running_since: float | None = None
        self._taken_back_seconds = 0.0
        self._started = False

    def run(self) -> None:
        """A leg's media is connected."""
        self._started = True
        if self._running_since is None:
            self._running_since = self._clock()

    def hold(self, ago_seconds: float = 0.0) -> None:
        """No leg has been connected for ``ago_seconds``, or the call is over.

        These seconds are taken back, up to ``MOST_TAKEN_BACK_SECONDS`` in the whole call.
        """
        self.take_back(ago_seconds)
        if self._running_since is not None:
            self._counted_seconds += self._clock() - self._running_since
            self._running_since = None

    def take_back(self, seconds: float) -> None:
        """No leg was connected for so much of the time since the meter runs. It is taken back, up
        to the same limit."""
        if self._running_since is None:
            return
        ran_seconds = self._clock() - self._running_since
        taken_back_seconds = min(
            seconds, ran_seconds, MOST_TAKEN_BACK_SECONDS - self._taken_back_seconds
        )
        self._taken_back_seconds += taken_back_seconds
        self._running_since += taken_back_seconds

    @property
    def connected_ms(self) -> int | None:
        """Connected milliseconds so far; ``None`` while no leg has ever connected."""
        if not self._started:
            return None
        running = 0.0 if self._running_since is None else self._clock() - self._running_since
        return round((self._counted_seconds + running) * 1000)
