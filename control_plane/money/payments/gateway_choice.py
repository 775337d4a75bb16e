"""Which gateway a tenant pays through. Pure."""

from __future__ import annotations

from collections.abc import Collection

from control_plane.platform.settings import GatewayName

INDIA = "IN"


def chosen_gateway(
    configured: Collection[GatewayName],
    *,
    preferred: str | None,
    billing_country: str | None,
    of_operator: GatewayName | None,
) -> GatewayName | None:
    """``None``: the installation has no gateway.

    What the tenant prefers comes first, then its country, then the operator's setting. A gateway
    that is not configured gives way to the other one.
    """
    by_country: GatewayName | None = None
    if billing_country is not None:
        by_country = "razorpay" if billing_country == INDIA else "stripe"
    for wanted in (preferred, by_country, of_operator, "stripe", "razorpay"):
        for name in configured:
            if name == wanted:
                return name
    return None
