"""What Telnyx's events and causes mean.

Source: https://developers.telnyx.com/docs/voice/programmable-voice/receiving-webhooks
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from carriers.call_events import AnsweredBy, StatusMeaning
from contracts.dial_outcome import DialOutcome
from contracts.dialing import LegStage

HANGUP = "call.hangup"
STATUSES: Mapping[str, StatusMeaning] = MappingProxyType(
    {
        # No event says that the phone rings; from here on it may. So a worker is reserved, and
        # nobody is dialed twice when a bridge dies.
        "call.initiated": StatusMeaning(LegStage.RINGING),
        "call.answered": StatusMeaning(LegStage.ANSWERED),
        # With the hangup_cause.
        HANGUP: StatusMeaning(LegStage.ENDED, DialOutcome.FAILED),
        "call.hangup:normal_clearing": StatusMeaning(LegStage.ENDED, DialOutcome.CANCELED),
        "call.hangup:originator_cancel": StatusMeaning(LegStage.ENDED, DialOutcome.CANCELED),
        "call.hangup:user_busy": StatusMeaning(LegStage.ENDED, DialOutcome.BUSY),
        "call.hangup:busy": StatusMeaning(LegStage.ENDED, DialOutcome.BUSY),
        "call.hangup:no_answer": StatusMeaning(LegStage.ENDED, DialOutcome.NO_ANSWER),
        "call.hangup:timeout": StatusMeaning(LegStage.ENDED, DialOutcome.NO_ANSWER),
        "call.hangup:time_limit": StatusMeaning(LegStage.ENDED, DialOutcome.FAILED),
        "call.hangup:call_rejected": StatusMeaning(LegStage.ENDED, DialOutcome.REJECTED),
        "call.hangup:not_found": StatusMeaning(LegStage.ENDED, DialOutcome.UNREACHABLE),
        "call.hangup:unallocated_number": StatusMeaning(LegStage.ENDED, DialOutcome.UNREACHABLE),
        "call.hangup:unspecified": StatusMeaning(LegStage.ENDED, DialOutcome.FAILED),
    }
)

REFUSALS: Mapping[str, DialOutcome] = MappingProxyType(
    {"10016": DialOutcome.UNREACHABLE, "90015": DialOutcome.UNREACHABLE}
)
"""Error codes with which a call is not even placed because of the number; with any other one it
``FAILED``. Source: https://developers.telnyx.com/api/errors"""

DETECTED: Mapping[str, AnsweredBy] = MappingProxyType(
    {
        "human": AnsweredBy.HUMAN,
        "human_residence": AnsweredBy.HUMAN,
        "human_business": AnsweredBy.HUMAN,
        "machine": AnsweredBy.MACHINE,
        "silence": AnsweredBy.UNKNOWN,
        "fax_detected": AnsweredBy.FAX,
        "not_sure": AnsweredBy.UNKNOWN,
    }
)
"""Results of detection. Source:
https://developers.telnyx.com/docs/voice/programmable-voice/answering-machine-detection"""
