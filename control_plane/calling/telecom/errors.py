"""Why a phone is not called: a limit against toll fraud. ``setting`` names the limit."""

from __future__ import annotations

from http import HTTPStatus

from contracts.money import usd
from control_plane.platform.errors import Problem


class PhoneCountryNotAllowed(Problem):
    status = HTTPStatus.FORBIDDEN
    code = "phone_country_not_allowed"
    title = "The number is in a country that you do not call"

    def __init__(self, number: str, country: str | None, allowed: list[str]) -> None:
        where = "in no country" if country is None else f"in {country}"
        permitted = f"calls go to {', '.join(allowed)} only" if allowed else "no country is allowed"
        super().__init__(
            f"{number} is {where}, and {permitted}: change allowed_countries (PUT "
            "/v1/phone-settings)",
            setting="allowed_countries",
        )


class PhoneRateAboveCeiling(Problem):
    status = HTTPStatus.FORBIDDEN
    code = "phone_rate_above_ceiling"
    title = "A minute to this number costs more than you allow"

    def __init__(self, number: str, rate_micros: int, ceiling_micros: int) -> None:
        super().__init__(
            f"A minute to {number} costs ${usd(rate_micros):.6f}, and you allow "
            f"${usd(ceiling_micros):.6f}: change rate_ceiling_usd_per_minute (PUT "
            "/v1/phone-settings)",
            setting="rate_ceiling_usd_per_minute",
        )


class PhoneDailySpendReached(Problem):
    status = HTTPStatus.FORBIDDEN
    code = "phone_daily_spend_reached"
    title = "Today's spending on phones has reached your cap"

    def __init__(self, cap_micros: int, spent_micros: int) -> None:
        super().__init__(
            f"Phones have cost ${usd(spent_micros):.6f} today (UTC), and you allow "
            f"${usd(cap_micros):.6f} a day: change daily_spend_cap_usd (PUT /v1/phone-settings)",
            setting="daily_spend_cap_usd",
        )
