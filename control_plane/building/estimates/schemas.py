"""An estimate on the wire. Source: API spec, "Billing"."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field, StrictFloat, StringConstraints

_Model = Annotated[str, StringConstraints(strip_whitespace=True, max_length=400)]
LONGEST_SECONDS = 365 * 24 * 3600


class EstimateWanted(BaseModel):
    model_config = ConfigDict(
        extra="forbid",
        json_schema_extra={
            "example": {
                "stt_model": "moonshine-base-en",
                "llm_model": "playbook",
                "tts_model": "hibari",
                "duration_seconds": 90,
            }
        },
    )
    stt_model: _Model = Field("", description="`model` or `provider/model`; empty: left out.")
    llm_model: _Model = Field(
        "", description="A realtime model also listens and speaks: leave the others empty."
    )
    tts_model: _Model = ""
    duration_seconds: StrictFloat | None = Field(
        None, ge=0, le=LONGEST_SECONDS, allow_inf_nan=False, description="Connected time."
    )


class Estimate(BaseModel):
    agent_kind: Literal["custom"]
    rate_per_min: float = Field(
        description="The models' prices and the platform's fee. A channel that is left out, or on "
        "your own key, costs nothing."
    )
    est_for_duration_usd: float | None = Field(
        None,
        description="Only with a duration, which is rounded up to 30 seconds.",
        exclude_if=lambda amount: amount is None,
        json_schema_extra={"x-may-be-absent": True},
    )
