"""What a caller process reads from its standard input: two lines of JSON.

The first says what to prepare, the second whom to call. They are separate so that the models load
while the servers still start. When the input ends, the caller hangs up.
"""

from __future__ import annotations

from pydantic import BaseModel, ConfigDict, Field

from switchboard.caller.dialogue_policy import Rule

_FROZEN = ConfigDict(frozen=True, extra="forbid")


class Prepare(BaseModel):
    model_config = _FROZEN
    rules: tuple[Rule, ...]


class PhoneLine(BaseModel):
    """A number of the agent's at a carrier that speaks as Twilio does, and who calls it."""

    model_config = _FROZEN
    account_sid: str
    auth_token: str = Field(repr=False)
    voice_url: str
    status_url: str
    from_number: str
    to_number: str


class Dial(BaseModel):
    """``phone``: call by phone, and not as a browser does."""

    model_config = _FROZEN
    phone: PhoneLine | None = None
    api_url: str
    api_key: str = Field(repr=False)
    agent_id: str
