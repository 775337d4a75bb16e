"""The gateways that the operator has configured."""

from __future__ import annotations

from control_plane.money.payments.gateways.gateway import MandateGateway, PaymentGateway
from control_plane.money.payments.gateways.razorpay_gateway import RazorpayGateway
from control_plane.money.payments.gateways.stripe_gateway import StripeGateway
from control_plane.platform.settings import GatewayName, PaymentSettings


class InstalledGateways:
    """One client of each gateway."""

    def __init__(self, settings: PaymentSettings) -> None:
        self.configured = settings.configured_gateways
        self._stripe = StripeGateway(settings)
        self._razorpay = RazorpayGateway(settings)

    def find(self, name: str) -> PaymentGateway | None:
        """``None`` if it is not configured."""
        gateways: dict[GatewayName, PaymentGateway] = {
            "stripe": self._stripe,
            "razorpay": self._razorpay,
        }
        return next((gateways[each] for each in self.configured if each == name), None)

    @property
    def of_mandates(self) -> MandateGateway | None:
        """``None`` if it is not configured."""
        return self._razorpay if "razorpay" in self.configured else None

    async def aclose(self) -> None:
        await self._stripe.aclose()
