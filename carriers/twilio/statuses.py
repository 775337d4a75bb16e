"""What Twilio's statuses mean. Source: https://www.twilio.com/docs/voice/api/call-resource"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from carriers.call_events import AnsweredBy, StatusMeaning
from contracts.dial_outcome import DialOutcome
from contracts.dialing import LegStage

STATUSES: Mapping[str, StatusMeaning] = MappingProxyType(
    {
        "queued": StatusMeaning(LegStage.DIALING),
        "initiated": StatusMeaning(LegStage.DIALING),
        "ringing": StatusMeaning(LegStage.RINGING),
        "in-progress": StatusMeaning(LegStage.ANSWERED),
        "completed": StatusMeaning(LegStage.ENDED),
        "busy": StatusMeaning(LegStage.ENDED, DialOutcome.BUSY),
        "no-answer": StatusMeaning(LegStage.ENDED, DialOutcome.NO_ANSWER),
        "canceled": StatusMeaning(LegStage.ENDED, DialOutcome.CANCELED),
        "failed": StatusMeaning(LegStage.ENDED, DialOutcome.FAILED),
        # With the SIP response of the far end. Source: RFC 3261, section 21.
        "failed:403": StatusMeaning(LegStage.ENDED, DialOutcome.REJECTED),
        "failed:404": StatusMeaning(LegStage.ENDED, DialOutcome.UNREACHABLE),
        "failed:410": StatusMeaning(LegStage.ENDED, DialOutcome.UNREACHABLE),
        "failed:484": StatusMeaning(LegStage.ENDED, DialOutcome.UNREACHABLE),
        "failed:603": StatusMeaning(LegStage.ENDED, DialOutcome.REJECTED),
        "failed:604": StatusMeaning(LegStage.ENDED, DialOutcome.UNREACHABLE),
    }
)

REFUSALS: Mapping[str, DialOutcome] = MappingProxyType(
    {
        "13223": DialOutcome.UNREACHABLE,
        "13224": DialOutcome.UNREACHABLE,
        "21211": DialOutcome.UNREACHABLE,
        "21214": DialOutcome.UNREACHABLE,
        "21217": DialOutcome.UNREACHABLE,
    }
)
"""Error codes with which a call is not even placed because of the number; with any other one it
``FAILED``. Source: https://www.twilio.com/docs/api/errors"""

ANSWERED_BY: Mapping[str, AnsweredBy] = MappingProxyType(
    {
        "human": AnsweredBy.HUMAN,
        "machine_start": AnsweredBy.MACHINE,
        "machine_end_beep": AnsweredBy.MACHINE_READY,
        "machine_end_silence": AnsweredBy.MACHINE_READY,
        "machine_end_other": AnsweredBy.MACHINE_READY,
        "fax": AnsweredBy.FAX,
        "unknown": AnsweredBy.UNKNOWN,
    }
)
"""Source: https://www.twilio.com/docs/voice/answering-machine-detection"""
