from __future__ import annotations

import pytest

from control_plane.money.payments.gateway_choice import chosen_gateway
from control_plane.platform.settings import GatewayName

BOTH: frozenset[GatewayName] = frozenset({"stripe", "razorpay"})


@pytest.mark.parametrize(
    ("preferred", "country", "of_operator", "chosen"),
    [
        (None, None, None, "stripe"),
        (None, "IN", None, "razorpay"),
        (None, "DE", "razorpay", "stripe"),
        (None, None, "razorpay", "razorpay"),
        ("stripe", "IN", None, "stripe"),
        ("razorpay", "DE", None, "razorpay"),
    ],
)
def test_the_tenants_wish_comes_first_then_its_country_then_the_operators_setting(
    preferred: str | None, country: str | None, of_operator: GatewayName | None, chosen: str
) -> None:
    assert (
        chosen_gateway(BOTH, preferred=preferred, billing_country=country, of_operator=of_operator)
        == chosen
    )


def test_a_gateway_that_is_not_configured_gives_way_to_the_other_one() -> None:
    for country in ("IN", "DE", None):
        chosen = chosen_gateway(
            ["razorpay"], preferred="stripe", billing_country=country, of_operator="stripe"
        )
        assert chosen == "razorpay"
    assert chosen_gateway([], preferred="stripe", billing_country="IN", of_operator=None) is None
