"""Where the carriers' APIs are, and how long they may take."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Annotated

from pydantic import BaseModel, ConfigDict, Field

from carriers.account import CarrierName

CARRIER_BASE_URLS: Mapping[CarrierName, str] = MappingProxyType(
    {
        CarrierName.TWILIO: "https://api.twilio.com",
        CarrierName.TELNYX: "https://api.telnyx.com",
        CarrierName.PLIVO: "https://api.plivo.com",
        CarrierName.VONAGE: "https://api.nexmo.com",
    }
)
VONAGE_NUMBERS_BASE_URL = "https://rest.nexmo.com"
"""Vonage keeps numbers on a host of their own."""


class CarrierSettings(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")
    base_urls: Mapping[CarrierName, str] = Field(default_factory=dict)
    """Addresses that replace the carriers' own: ``SWITCHBOARD_TWILIO_BASE_URL`` and so on."""
    request_seconds: Annotated[float, Field(gt=0, le=60)] = 5.0
    """For one request to a carrier, from the look-up of its name to the last byte."""

    def base_url(self, carrier: CarrierName) -> str:
        """Without a slash at its end."""
        return (self.base_urls.get(carrier) or CARRIER_BASE_URLS[carrier]).rstrip("/")

    def vonage_numbers_base_url(self) -> str:
        """Follows a replaced address of Vonage. Without a slash at its end."""
        return (self.base_urls.get(CarrierName.VONAGE) or VONAGE_NUMBERS_BASE_URL).rstrip("/")
