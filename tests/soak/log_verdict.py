"""Which warnings in the logs of the processes a soak may show, and why. Pure."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from bench.vendors.random_faults import Fault
from tests.logged_warnings import LoggedWarning
from tests.soak.verdict import NOTICED_SECONDS

_SHARED = "callers and vendors share the machine with the system"
_MOST_SHOWN = 3
"""Of the same kind."""


@dataclass(frozen=True)
class Expected:
    logger: str
    event: str
    """How it begins."""
    why: str
    provider: str | None = None
    """Only soon after a fault of that one."""


EXPECTED = (
    Expected("runtime.headroom.watch", "headroom.gone", f"{_SHARED}: a full worker takes no call"),
    Expected("livekit.agents", "eot prediction timed out", f"{_SHARED}: a turn ends without it"),
    Expected(
        "livekit.agents",
        "LLM request rate limited by inference gateway",
        "the engine tells each 429, also of a vendor's own address",
        "openai",
    ),
    Expected(
        "livekit.plugins.deepgram",
        "Error in recv_task",
        "the plugin tells a connection that was closed",
        "deepgram",
    ),
    Expected(
        "livekit.plugins.deepgram",
        "Error in send_task",
        "the plugin tells a connection that was closed",
        "deepgram",
    ),
    Expected(
        "livekit.plugins.deepgram",
        "Deepgram keepalive task exited",
        "the plugin tells a connection that was closed",
        "deepgram",
    ),
    Expected(
        "livekit.plugins.elevenlabs",
        "recv loop error",
        "the plugin tells a connection that was closed",
        "elevenlabs",
    ),
    Expected(
        "livekit.plugins.elevenlabs",
        "send loop error",
        "the plugin tells a connection that was closed",
        "elevenlabs",
    ),
    Expected(
        "livekit.agents",
        "TTS failed after partial audio was already sent to the user",
        "the engine tells a voice that broke off, and the next one goes on",
        "elevenlabs",
    ),
    Expected(
        "pipelines.engine.channels.closing_streams",
        "channel.stream_not_closed",
        "a vendor that hangs does not answer the farewell of its connection either",
    ),
)


def unexpected(warnings: Iterable[LoggedWarning], faults: Sequence[Fault]) -> Iterator[str]:
    """One line for each kind of warning that is in no row of ``EXPECTED``, or follows from no
    fault of its vendor."""
    found: dict[tuple[str, str, str], list[LoggedWarning]] = defaultdict(list)
    for warning in warnings:
        if not any(_explains(expected, warning, faults) for expected in EXPECTED):
            found[warning.process, warning.logger, warning.event].append(warning)
    for (process, logger, event), same in found.items():
        shown = "; ".join(f"{each.at:%H:%M:%S} {each.rest}" for each in same[:_MOST_SHOWN])
        yield f"log of {process}: {len(same)} x {logger} {event!r}: {shown}"


def _explains(expected: Expected, warning: LoggedWarning, faults: Sequence[Fault]) -> bool:
    is_it = warning.logger == expected.logger and warning.event.startswith(expected.event)
    if not is_it or expected.provider is None:
        return is_it
    at = warning.at.timestamp()
    return any(
        fault.provider == expected.provider and 0 <= at - fault.at <= NOTICED_SECONDS
        for fault in faults
    )
