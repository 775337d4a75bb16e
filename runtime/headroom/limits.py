"""From when on a worker counts as full."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class HeadroomLimits:
    """The 99th percentile of delays over five seconds; infinity for what is not to be judged."""

    frame_lateness_ms: float = 15.0
    """A caller hears a gap of 20 ms between frames, plus the lateness. So this leaves 5 ms for the
    network and the sockets before one gap in a hundred is longer than 40 ms."""
    loop_lag_ms: float = 30.0
    """Longer than a frame: the loop also runs what no caller hears at once, such as the setup of a
    call. A turn of the conversation passes through it about ten times, each of them as late."""
    model_queue_ms: float = 1_000.0
    """Of the oldest work that is with the local models or waits for them, at any time. Alone, none
    takes half as long."""
