"""What Plivo's statuses and hang-up causes mean.

Sources: https://www.plivo.com/docs/voice/xml/request/call-status/ and
https://docs.plivo.com/docs/voice/troubleshooting/hangup-causes
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from carriers.call_events import StatusMeaning
from contracts.dial_outcome import DialOutcome
from contracts.dialing import LegStage

_CALL_STATUSES = {
    "queued": StatusMeaning(LegStage.DIALING),
    "ringing": StatusMeaning(LegStage.RINGING),
    "in-progress": StatusMeaning(LegStage.ANSWERED),
    "completed": StatusMeaning(LegStage.ENDED),
    "busy": StatusMeaning(LegStage.ENDED, DialOutcome.BUSY),
    "no-answer": StatusMeaning(LegStage.ENDED, DialOutcome.NO_ANSWER),
    "cancel": StatusMeaning(LegStage.ENDED, DialOutcome.CANCELED),
    "timeout": StatusMeaning(LegStage.ENDED, DialOutcome.NO_ANSWER),
    "failed": StatusMeaning(LegStage.ENDED, DialOutcome.FAILED),
}

_CAUSES: dict[DialOutcome | None, str] = {
    # After an answer, or with nothing to say about one.
    None: "4000 4010 4020 4030 6000 6020 9000 9100 9110",
    DialOutcome.NO_ANSWER: "3000 3070 6010",
    DialOutcome.BUSY: "3010 3100",
    DialOutcome.REJECTED: "3020 3040 3110 3130",
    DialOutcome.UNREACHABLE: "2000 2010 2020 3050 3120",
    DialOutcome.CANCELED: "1000",
    DialOutcome.FAILED: (
        "0 1010 1020 2030 2040 2050 2060 2070 3030 3080 3090 3140 5000 5010 5020 5030 "
        "7011 7012 7013 7014 7022 7023 7024 7032 7033 7034 8011 8012 8013 8014"
    ),
}

STATUSES: Mapping[str, StatusMeaning] = MappingProxyType(
    {
        **_CALL_STATUSES,
        **{
            code: StatusMeaning(LegStage.ENDED, outcome)
            for outcome, codes in _CAUSES.items()
            for code in codes.split()
        },
    }
)
"""A number is a ``HangupCauseCode``, which says more than the status beside it."""
