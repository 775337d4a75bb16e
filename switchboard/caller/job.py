"""What a caller process is told: two JSON lines on its standard input, then nothing.

The first says what to prepare, the second whom to call. They are apart so that models load while
the servers still start. The end of the input means that the other side is gone: the caller leaves.
"""

from __future__ import annotations

from pydantic import BaseModel, ConfigDict, Field

from switchboard.caller.dialogue_policy import Rule

_FROZEN = ConfigDict(frozen=True, extra="forbid")


class Prepare(BaseModel):
    model_config = _FROZEN
    rules: tuple[Rule, ...]


class Dial(BaseModel):
    model_config = _FROZEN
    api_url: str
    api_key: str = Field(repr=False)
    agent_id: str
