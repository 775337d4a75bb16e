"""What the supervisors of the channels tell the call."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, Protocol

from contracts.call_plan import Channel


@dataclass(frozen=True)
class ChannelSwitch:
    """One model took over from another, within a call."""

    channel: Channel | Literal["realtime"]
    """``realtime``: the pipeline took over from the model that listened, thought and spoke."""
    failed: str
    """``provider/model``"""
    taken_over_by: str
    """``provider/model``, those of a pipeline, or ``recorded words``"""
    why: str
    """Of the failure: a short sentence without keys or the caller's words."""
    lost_ms: int
    """From when the failed model was asked to when the next one was."""
    was_asked: bool = True
    """False for a model that was passed over, because it cannot be built here or because it failed
    in another call a moment ago."""


class ChannelReports(Protocol):
    """The runtime implements it. Every method returns at once; none raises."""

    def switched(self, switch: ChannelSwitch) -> None: ...

    def exhausted(self, channel: Channel, why: str) -> None:
        """Nothing can serve the channel any more: the call is to end as failed, after its last
        words were heard."""
