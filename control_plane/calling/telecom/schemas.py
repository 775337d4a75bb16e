"""Phone prices and phone limits on the wire."""

from __future__ import annotations

from datetime import datetime
from decimal import Decimal
from typing import Annotated, Literal
from uuid import UUID

from pydantic import BaseModel, ConfigDict, Field, StringConstraints

from contracts.carrier_accounts import CarrierProvider
from control_plane.identity.api_keys.countries import CountryCode

Usd = Annotated[Decimal, Field(ge=0, le=1_000_000, decimal_places=6, allow_inf_nan=False)]
Direction = Literal["inbound", "outbound"]


class PhoneSettingsWanted(BaseModel):
    """All settings; one that is left out is null."""

    model_config = ConfigDict(
        extra="forbid",
        json_schema_extra={
            "example": {"allowed_countries": ["US", "CA"], "daily_spend_cap_usd": 50}
        },
    )
    allowed_countries: Annotated[list[CountryCode], Field(max_length=250)] | None = Field(
        None,
        description="Two-letter codes of the countries that may be called. null: those of your "
        "numbers.",
    )
    daily_spend_cap_usd: Usd | None = Field(
        None,
        description="When phone minutes that are billed here have cost so much since midnight "
        "(UTC), no phone is called until the next day. null: no cap.",
    )
    rate_ceiling_usd_per_minute: Usd | None = Field(
        None, description="Numbers whose minute costs more are not called. null: no ceiling."
    )


class PhoneSettingsView(BaseModel):
    allowed_countries: list[str] | None
    effective_countries: list[str] = Field(
        description="The countries that may be called: those above, or those of your numbers."
    )
    daily_spend_cap_usd: float | None
    rate_ceiling_usd_per_minute: float | None
    spent_today_usd: float = Field(description="Since midnight (UTC).")


class TelecomPriceWanted(BaseModel):
    model_config = ConfigDict(
        extra="forbid",
        json_schema_extra={
            "example": {
                "provider": "twilio",
                "direction": "outbound",
                "prefix": "+1",
                "usd_per_minute": 0.014,
            }
        },
    )
    provider: CarrierProvider
    direction: Direction = Field(
        description="`outbound`: calls to numbers with the prefix. `inbound`: calls to your own "
        "numbers with it."
    )
    prefix: Annotated[str, StringConstraints(pattern=r"^\+[0-9]{0,14}$")] = Field(
        description="The longest prefix that fits counts; `+` fits every number."
    )
    usd_per_minute: Usd


class TelecomPriceView(BaseModel):
    id: UUID
    provider: str
    direction: Direction
    prefix: str
    usd_per_minute: float
    valid_from: datetime


class TelecomPriceList(BaseModel):
    telecom_prices: list[TelecomPriceView]
