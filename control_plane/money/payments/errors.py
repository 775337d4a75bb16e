"""Problems with payments."""

from __future__ import annotations

from http import HTTPStatus

from control_plane.platform.errors import NotFound, Problem


class GatewayNotConfigured(Problem):
    status = HTTPStatus.SERVICE_UNAVAILABLE
    code = "gateway_not_configured"
    title = "This installation takes no payments: no payment gateway is configured"


class GatewayUnavailable(Problem):
    status = HTTPStatus.SERVICE_UNAVAILABLE
    code = "gateway_unavailable"
    title = "The payment gateway cannot be reached"

    def __init__(self) -> None:
        super().__init__(
            "The payment gateway did not answer as it should, and nothing was charged; try again"
            " shortly",
            headers={"Retry-After": "10"},
        )


class PaymentMethodNotFound(NotFound):
    code = "payment_method_not_found"
    title = "You have no such payment method"


class InvalidSignature(Problem):
    status = HTTPStatus.BAD_REQUEST
    code = "invalid_signature"
    title = "The event is not signed by the gateway"


class PackExists(Problem):
    status = HTTPStatus.CONFLICT
    code = "topup_pack_exists"
    title = "There is a pack with this price"


class PackNotFound(NotFound):
    code = "topup_pack_not_found"
    title = "There is no such pack"
