from __future__ import annotations

from tests.control_plane.policies.policy import (
    FOREIGN_IS_404,
    OWN_RECORDS,
    Access,
    Policies,
    Policy,
)

POLICIES: Policies = {
    ("POST", "/v1/calls"): Policy(
        Access.ANY_KEY,
        404,
        {"agent_id": "{agent_id}", "participants": [{"transport": "webrtc", "identity": "x"}]},
    ),
    ("GET", "/v1/calls"): OWN_RECORDS,
    ("GET", "/v1/calls/active"): OWN_RECORDS,
    ("GET", "/v1/calls/daily-latencies"): Policy(Access.MEMBER, names_records=False),
    ("GET", "/v1/calls/{call_id}"): FOREIGN_IS_404,
    ("GET", "/v1/calls/{call_id}/bill"): FOREIGN_IS_404,
    ("GET", "/v1/calls/{call_id}/events"): FOREIGN_IS_404,
    # The call that is visited has no phones.
    ("GET", "/v1/calls/{call_id}/legs"): Policy(Access.MEMBER, 404, names_records=False),
    ("GET", "/v1/calls/{call_id}/transcript"): FOREIGN_IS_404,
    ("POST", "/v1/calls/{call_id}/end"): FOREIGN_IS_404,
    ("PUT", "/v1/calls/{call_id}/feedback"): Policy(Access.ANY_KEY, 404, {"rating": "up"}),
    ("GET", "/v1/rtc/{call_id}"): Policy(Access.CALL_TOKEN, 401),
    ("POST", "/v1/rtc/{call_id}"): Policy(Access.CALL_TOKEN, 401),
    ("DELETE", "/v1/rtc/{call_id}"): Policy(Access.CALL_TOKEN, 401),
    ("GET", "/v1/rtc/{call_id}/ice-servers"): Policy(Access.CALL_TOKEN, 401),
    ("DELETE", "/v1/rtc/{call_id}/legs/{participant_id}"): Policy(Access.CALL_TOKEN, 401),
}
