from __future__ import annotations

from uuid import UUID

import pytest

from control_plane.money.spend_alerts.mails import alert_mail
from control_plane.money.spend_alerts.models import SpendAlert


@pytest.mark.parametrize(
    ("alert_type", "title"),
    [
        ("monthly_spend", "Calls have cost $12.50 this month"),
        ("low_balance", "Your balance is $12.50"),
        ("hourly_velocity", "Calls cost $12.50 within an hour"),
    ],
)
def test_a_mail_says_what_happened_and_where_to_look(alert_type: str, title: str) -> None:
    alert = SpendAlert(alert_type=alert_type, amount_micros=12_500_000, threshold_micros=10_000_000)
    mail = alert_mail(
        "ada@salon.example", alert, public_url="https://voice.example", mail_id=UUID(int=1)
    )
    assert (mail.to, mail.subject) == ("ada@salon.example", title)
    assert "$10.00" in mail.text
    assert "https://voice.example/console/billing" in mail.text
