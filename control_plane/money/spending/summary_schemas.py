"""What is used of what is included, on the wire. Source: API spec, "Billing"."""

from __future__ import annotations

from typing import Literal

from pydantic import BaseModel, Field

from control_plane.money.billing.balance import Tone


class VoiceRuntime(BaseModel):
    remaining_minutes: float = Field(
        description="What the balance pays for, at the reference rate of $0.05 a minute."
    )
    status: Tone


class Quota(BaseModel):
    used_units: int = Field(description="Requests of today (UTC).")
    included_units: int | None = Field(description="Requests a day; null: no limit.")
    quota_percent: float | None = Field(description="How much is used; null: no limit.")
    status: Literal["ok", "quota"] = Field(description="`quota`: all is used for today.")


class StudioAi(Quota):
    """Writing agents with the help of a language model. It costs nothing."""

    overage_enabled: Literal[False] = False


class UsageSummary(BaseModel):
    voice_runtime: VoiceRuntime
    studio_ai: StudioAi
    post_call_intelligence: Quota = Field(
        description="Analysing calls again. The analysis that follows a call is not counted."
    )
