"""Requests and answers of the operator's unit prices."""

from __future__ import annotations

from datetime import datetime
from typing import Literal
from uuid import UUID

from pydantic import BaseModel, ConfigDict, Field

from contracts.call_plan import Channel
from contracts.json_types import Timestamp
from control_plane.building.catalogue.entries import Name
from control_plane.building.catalogue.unit_prices import MicrosPer


class UnitPriceCreate(BaseModel):
    """What a provider bills you for a model's use on a channel. It replaces the whole previous unit
    price from `valid_from` on; the previous one is kept. Tenants pay the price per minute."""

    model_config = ConfigDict(
        frozen=True,
        extra="forbid",
        json_schema_extra={
            "example": {
                "channel": "llm",
                "provider": "openai",
                "model": "gpt-4o",
                "micros_per": {
                    "million_input_tokens": 2_000_000,
                    "million_cached_input_tokens": 1_000_000,
                    "million_output_tokens": 8_000_000,
                },
                "valid_from": "2030-01-01T00:00:00Z",
            }
        },
    )
    channel: Channel
    provider: Name
    model: Name
    micros_per: MicrosPer
    valid_from: Timestamp | None = Field(None, description="Default: now. Must not be in the past.")


class UnitPriceView(BaseModel):
    model_config = ConfigDict(from_attributes=True)
    id: UUID
    channel: str
    provider: str
    model: str
    micros_per: dict[str, int] = Field(description="Micro-dollars for one of each unit.")
    valid_from: datetime


class UnitPriceHistory(BaseModel):
    unit_prices: list[UnitPriceView] = Field(
        description="Newest first within a channel of a model."
    )


class UnitPriceCreated(BaseModel):
    status: Literal["created"] = "created"
    unit_price: UnitPriceView
