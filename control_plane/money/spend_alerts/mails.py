"""A spend alert as a mail. Pure."""

from __future__ import annotations

from uuid import UUID

from contracts.money import usd
from control_plane.money.spend_alerts.models import SpendAlert
from control_plane.platform.mail.mail import Mail


def alert_mail(to: str, alert: SpendAlert, *, public_url: str, mail_id: UUID) -> Mail:
    amount, threshold = f"${usd(alert.amount_micros):.2f}", f"${usd(alert.threshold_micros):.2f}"
    title, message = {
        "monthly_spend": (
            f"Calls have cost {amount} this month",
            f"You asked to be told when they have cost {threshold}.",
        ),
        "low_balance": (
            f"Your balance is {amount}",
            f"You asked to be told when it is {threshold} or less.",
        ),
        "hourly_velocity": (
            f"Calls cost {amount} within an hour",
            f"That is unusual for you: {threshold} would be much already.",
        ),
    }[alert.alert_type]
    where = f"{public_url}/console/billing"
    return Mail(to, title, f"{message}\n\nSee your spending: {where}\n", mail_id)
