"""Which number a phone call is made from."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import Any
from uuid import uuid4

import pytest

from control_plane.calling.calls.creating.caller_id import CallerId, choose_caller_id
from control_plane.calling.numbers.models import Number
from control_plane.platform.settings import DialingSettings

AGENT = uuid4()
FIRST, SECOND, THIRD = "+14155550100", "+14155550101", "+14155550102"
DIALING = DialingSettings(carriers=frozenset({"simulated"}))


def numbers(*given: dict[str, Any]) -> list[Number]:
    """The oldest first, as the repository returns them."""
    start = datetime(2026, 1, 1, tzinfo=UTC)
    return [
        Number(**{"carrier": "simulated", "created_at": start + timedelta(days=day)} | fields)
        for day, fields in enumerate(given)
    ]


@pytest.mark.parametrize(
    ("given", "wanted", "chosen"),
    [
        pytest.param([{"number": FIRST}], None, FIRST, id="the only one"),
        pytest.param(
            [{"number": FIRST}, {"number": SECOND, "is_default": True}], None, SECOND, id="default"
        ),
        pytest.param(
            [
                {"number": FIRST, "is_default": True},
                {"number": SECOND, "agent_id": AGENT},
                {"number": THIRD, "agent_id": AGENT},
            ],
            None,
            SECOND,
            id="the agent's oldest before the default",
        ),
        pytest.param(
            [{"number": FIRST, "is_default": True}, {"number": SECOND}], SECOND, SECOND, id="named"
        ),
        pytest.param(
            [{"number": FIRST, "carrier": None, "is_default": True}, {"number": SECOND}],
            None,
            SECOND,
            id="one without a carrier does not count",
        ),
    ],
)
def test_chosen(given: list[dict[str, Any]], wanted: str | None, chosen: str) -> None:
    assert choose_caller_id(numbers(*given), AGENT, wanted, DIALING) == CallerId(
        chosen, "simulated"
    )


@pytest.mark.parametrize(
    ("given", "wanted", "says"),
    [
        pytest.param([], None, "ask the operator", id="no number at all"),
        pytest.param([{"number": FIRST}], SECOND, "not one of your numbers", id="a stranger's"),
        pytest.param(
            [{"number": FIRST, "carrier": "other"}], FIRST, "not connected", id="other carrier"
        ),
        pytest.param(
            [{"number": FIRST}, {"number": SECOND}], None, "name the one", id="several, no default"
        ),
    ],
)
def test_why_not(given: list[dict[str, Any]], wanted: str | None, says: str) -> None:
    reason = choose_caller_id(numbers(*given), AGENT, wanted, DIALING)
    assert isinstance(reason, str)
    assert says in reason
