"""Whether a phone that was not reached is dialed again, by how the attempt ended. Pure."""

from __future__ import annotations

from datetime import timedelta
from typing import Annotated

from pydantic import BaseModel, ConfigDict, Field, StrictInt

from contracts.clearable import Clearable
from contracts.dial_outcome import DialOutcome

MAX_ATTEMPTS = 10
MAX_WAIT_SECONDS = 24 * 3600


class RetryRule(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)
    attempts: Annotated[StrictInt, Field(ge=1, le=MAX_ATTEMPTS)] = Field(
        1, description="Attempts in all, including the first."
    )
    wait_seconds: Annotated[StrictInt, Field(ge=1, le=MAX_WAIT_SECONDS)] = 300


class RetryRules(BaseModel):
    """When to dial again, by outcome. A phone that rejected the call or cannot be reached is never
    dialed again."""

    model_config = ConfigDict(
        extra="forbid",
        frozen=True,
        json_schema_extra={"example": {"busy": {"attempts": 3, "wait_seconds": 300}}},
    )
    busy: Clearable[RetryRule] = RetryRule()
    no_answer: Clearable[RetryRule] = RetryRule()
    failed: Clearable[RetryRule] = RetryRule(attempts=3, wait_seconds=15)
    """The carrier could not place the call: that says nothing about the callee."""

    def wait_after(self, outcome: DialOutcome, attempts: int) -> timedelta | None:
        """How long to wait before the next attempt; ``None``: there is none.

        Args:
            attempts: how many there were, including the one that ended with ``outcome``.
        """
        rules = {
            DialOutcome.BUSY: self.busy,
            DialOutcome.NO_ANSWER: self.no_answer,
            DialOutcome.FAILED: self.failed,
        }
        rule = rules.get(outcome)
        if rule is None or attempts >= rule.attempts:
            return None
        return timedelta(seconds=rule.wait_seconds)


ONE_CALL = RetryRules()
"""A single call is not dialed again for a busy phone: its creator learns that at once."""

BATCH = RetryRules(
    busy=RetryRule(attempts=3, wait_seconds=300),
    no_answer=RetryRule(attempts=2, wait_seconds=3600),
)
