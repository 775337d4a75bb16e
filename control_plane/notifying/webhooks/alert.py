"""The mail that says that deliveries to an endpoint fail. Pure."""

from __future__ import annotations

from control_plane.notifying.webhooks.models import Webhook, WebhookDelivery, WebhookTry
from control_plane.platform.mail.mail import Mail


def alert_mail(
    webhook: Webhook, delivery: WebhookDelivery, last: WebhookTry | None, public_url: str
) -> Mail:
    """``webhook.alert_email`` is set.

    Args:
        last: the delivery's last try.
    """
    assert webhook.alert_email is not None
    path = f"/v1/webhooks/{webhook.id}/deliveries/{delivery.id}/replay"
    text = f"""\
All {delivery.tries} tries to deliver the event {delivery.event} to this webhook have failed:

  {webhook.url}

Why: {(last and last.error) or "unknown"}
Event of: {delivery.occurred_at:%Y-%m-%d %H:%M:%S} UTC

When the endpoint works again, deliver it once more:

  curl -X POST {public_url.rstrip("/")}{path} -H "Authorization: Bearer $KEY"

Deliveries can be replayed for 30 days. You get at most one such mail an hour for each webhook, so
other deliveries to it may have failed as well. This lists them:

  GET /v1/webhooks/{webhook.id}/deliveries?status=failed
"""
    return Mail(webhook.alert_email, "A webhook could not be delivered", text)
