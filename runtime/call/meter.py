"""The connected time of one call, which the bill is based on."""

from __future__ import annotations

from collections.abc import Callable


class Meter:
    """Counts while at least one leg's media is connected.

    ``clock`` is monotonic and in seconds. Any method may be called at any time; calling it twice
    changes nothing.
    """

    def __init__(self, clock: Callable[[], float]) -> None:
        self._clock = clock
        self._counted_seconds = 0.0
        self._running_since: float | None = None
        self._started = False

    def run(self) -> None:
        """A leg's media is connected."""
        self._started = True
        if self._running_since is None:
            self._running_since = self._clock()

    def hold(self, ago_seconds: float = 0.0) -> None:
        """No leg has been connected for ``ago_seconds``, or the call is over."""
        if self._running_since is not None:
            self._counted_seconds += max(0.0, self._clock() - ago_seconds - self._running_since)
            self._running_since = None

    @property
    def connected_ms(self) -> int | None:
        """Connected milliseconds so far; ``None`` while no leg has ever connected."""
        if not self._started:
            return None
        running = 0.0 if self._running_since is None else self._clock() - self._running_since
        return round((self._counted_seconds + running) * 1000)
