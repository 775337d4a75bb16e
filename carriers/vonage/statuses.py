"""What Vonage's statuses and details mean.

Source: https://developer.vonage.com/en/voice/voice-api/webhook-reference
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from carriers.call_events import StatusMeaning
from contracts.dial_outcome import DialOutcome
from contracts.dialing import LegStage

STATUSES: Mapping[str, StatusMeaning] = MappingProxyType(
    {
        "started": StatusMeaning(LegStage.DIALING),
        "ringing": StatusMeaning(LegStage.RINGING),
        "answered": StatusMeaning(LegStage.ANSWERED),
        "completed": StatusMeaning(LegStage.ENDED),
        "busy": StatusMeaning(LegStage.ENDED, DialOutcome.BUSY),
        "cancelled": StatusMeaning(LegStage.ENDED, DialOutcome.CANCELED),
        "timeout": StatusMeaning(LegStage.ENDED, DialOutcome.NO_ANSWER),
        "unanswered": StatusMeaning(LegStage.ENDED, DialOutcome.NO_ANSWER),
        "unanswered:timeout": StatusMeaning(LegStage.ENDED, DialOutcome.NO_ANSWER),
        "unanswered:unavailable": StatusMeaning(LegStage.ENDED, DialOutcome.NO_ANSWER),
        "rejected": StatusMeaning(LegStage.ENDED, DialOutcome.REJECTED),
        "rejected:declined": StatusMeaning(LegStage.ENDED, DialOutcome.REJECTED),
        "rejected:restricted": StatusMeaning(LegStage.ENDED, DialOutcome.REJECTED),
        "rejected:invalid_number": StatusMeaning(LegStage.ENDED, DialOutcome.UNREACHABLE),
        "failed": StatusMeaning(LegStage.ENDED, DialOutcome.FAILED),
        "failed:cannot_route": StatusMeaning(LegStage.ENDED, DialOutcome.UNREACHABLE),
        "failed:number_out_of_service": StatusMeaning(LegStage.ENDED, DialOutcome.UNREACHABLE),
        "failed:internal_error": StatusMeaning(LegStage.ENDED, DialOutcome.FAILED),
    }
)
