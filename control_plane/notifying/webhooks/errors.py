"""What can go wrong with webhooks."""

from __future__ import annotations

from http import HTTPStatus

from control_plane.platform.errors import NotFound, Problem


class WebhookNotFound(NotFound):
    code = "webhook_not_found"
    title = "There is no such webhook"


class DeliveryNotFound(NotFound):
    code = "delivery_not_found"
    title = "The webhook has no such delivery"


class DeliveryUnderWay(Problem):
    status = HTTPStatus.CONFLICT
    code = "delivery_under_way"
    title = "The delivery is still being tried"


class DeliveryExpired(Problem):
    status = HTTPStatus.CONFLICT
    code = "delivery_expired"
    title = "What the delivery would tell was erased"


class TooManyWebhooks(Problem):
    """``limit`` and ``used`` say how many."""

    status = HTTPStatus.CONFLICT
    code = "too_many_webhooks"
    title = "The tenant has as many webhooks as it may have"


class SecretLost(Problem):
    status = HTTPStatus.CONFLICT
    code = "webhook_secret_lost"
    title = "The webhook's secret cannot be decrypted: set it again"
