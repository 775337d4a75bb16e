"""What a call does when the model of a channel fails: it says so, or it ends as failed."""

from __future__ import annotations

from collections.abc import Callable

import structlog

from contracts.call_plan import Channel
from contracts.events import EventBody, Logged, ModelSwitched
from pipelines.engine.channels.reports import ChannelSwitch
from runtime.call.end_cause import CallFailure, ProvidersFailed
from telemetry.metrics import PROVIDER_ERRORS, PROVIDER_SWITCHES, PROVIDERS, listed

logger = structlog.get_logger(__name__)


class CallChannelReports:
    """Implements ``ChannelReports`` for one call.

    Args:
        fact: writes into the call's journal.
        failed: ends the call as failed, with an apology.
    """

    def __init__(
        self, fact: Callable[[EventBody], None], failed: Callable[[CallFailure], None]
    ) -> None:
        self._fact = fact
        self._failed = failed

    def switched(self, switch: ChannelSwitch) -> None:
        provider = listed(switch.failed.partition("/")[0], PROVIDERS)
        PROVIDER_SWITCHES.labels(provider, switch.channel).inc()
        if switch.was_asked:
            PROVIDER_ERRORS.labels(provider, switch.channel).inc()
        # An event of the API has no fields of its own for these, so all five are in the message.
        self._fact(
            Logged(
                level="warning",
                message=f"{switch.channel}: {switch.taken_over_by} took over from {switch.failed} "
                f"after {switch.lost_ms} ms: {switch.why}",
                switch=ModelSwitched(
                    channel=switch.channel,
                    failed=switch.failed,
                    taken_over_by=switch.taken_over_by,
                    why=switch.why,
                    lost_ms=switch.lost_ms,
                ),
            )
        )

    def exhausted(self, channel: Channel, why: str) -> None:
        logger.error("call.channel_exhausted", channel=channel, why=why)
        self._failed(ProvidersFailed(f"{channel}: {why}"))
