"""The bill of a call on the wire: from what was charged down to the catalogue's price rows."""

from __future__ import annotations

from datetime import datetime
from typing import Literal
from uuid import UUID

from pydantic import BaseModel, Field


class BillCharge(BaseModel):
    """The ledger entry that the call was charged with."""

    transaction_id: UUID = Field(description="As in `GET /v1/billing/transactions`.")
    seconds: int = Field(description="Billable seconds.")
    amount: float
    from_plan_credit: float
    from_free_credit: float
    from_purchased_credit: float
    created_at: datetime


class BillHold(BaseModel):
    """The credit that the call reserves while it runs, so that it can always be paid."""

    state: Literal["open", "settled", "released"] = Field(
        description="`settled`: the charge was taken. `released`: nothing was charged."
    )
    amount: float = Field(description="What it holds, or held last.")
    opened_at: datetime
    closed_at: datetime | None


class BillPriceRow(BaseModel):
    """A row of the catalogue's prices, or of the phone network's (`telecom`), frozen when the call
    was created."""

    price_id: UUID
    component: Literal["stt", "llm", "tts", "platform", "managed_sku", "telecom"]
    provider: str
    model: str
    price_per_min: float
    valid_from: datetime | None = Field(
        description="Since when the catalogue has it; `null` if it has no such row any more."
    )
    cost: float | None = Field(description="Its part of the charge; `null` while the call runs.")


class BillAgent(BaseModel):
    """An agent that served the call, for as long as it did. When a phone is added to the call, or
    leaves it, the same agent begins a new entry with other price rows."""

    agent_id: UUID
    agent_version: int
    agent_name: str
    from_seconds: float = Field(description="Connected seconds at which it took over.")
    seconds: float | None = Field(description="What it is billed for; `null` while the call runs.")
    price_per_min: float = Field(description="The sum of its price rows.")
    cost: float | None = Field(description="Its part of the charge; `null` while the call runs.")
    prices: list[BillPriceRow]


class CallBill(BaseModel):
    """Amounts are in US dollars. The parts of a charge add up to it exactly."""

    call_id: UUID
    paid_by: Literal["tenant", "tester"] = Field(
        description="`tester`: from an account of their own. All that follows is what *your* "
        "account was charged, so it is 0, and neither a charge nor a hold is shown."
    )
    billable_seconds: int | None = Field(description="`null` while the call runs.")
    total_cost: float | None = Field(description="`null` while the call runs.")
    telecom_cost: float | None = Field(
        description="The part of `total_cost` that is not for STT, LLM and TTS, as in "
        "`GET /v1/calls`. `null` while the call runs."
    )
    phone_cost: float | None = Field(
        description="The part of `telecom_cost` that the phones' minutes cost. `null` while the "
        "call runs."
    )
    charge: BillCharge | None = Field(
        description="`null` while the call runs, and if nothing was charged."
    )
    hold: BillHold | None
    agents: list[BillAgent] = Field(description="In the order in which they talked.")
