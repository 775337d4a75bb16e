"""Every carrier. A new one is a folder and a line here."""

from __future__ import annotations

from typing import Any

from carriers.account import CarrierName
from carriers.plivo.carrier import PLIVO
from carriers.spec import CarrierSpec
from carriers.telnyx.carrier import TELNYX
from carriers.twilio.carrier import TWILIO
from carriers.vonage.carrier import VONAGE

CARRIERS: tuple[CarrierSpec[Any], ...] = (TWILIO, TELNYX, PLIVO, VONAGE)


def carrier_named(name: str) -> CarrierSpec[Any] | None:
    """``None`` for a name that is not registered."""
    return next((spec for spec in CARRIERS if spec.name == name), None)


def carrier_of(name: CarrierName) -> CarrierSpec[Any]:
    return next(spec for spec in CARRIERS if spec.name is name)
