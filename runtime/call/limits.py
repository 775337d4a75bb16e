"""When a call has lasted, waited, cost or been silent for too long. Pure.

Rules: API spec, "Advanced" (``maxCallDuration``, ``silencePromptDelay``, ``postSilenceHangup``).
Silence means that neither the caller nor the agent is active. After ``silence_prompt_seconds`` of
silence the agent asks whether the caller is still there (the nudge). The call ends when
``silence_hangup_seconds`` more pass after the nudge was spoken. When the caller speaks or presses a
key, counting starts again. While nobody is connected, no silence is counted; the next leg starts it
again.

A call may go on while its connected time is paid for. The goodbye begins ``FUNDS_GOODBYE_MS``
before the paid time is over; what it takes longer is free.
"""

from __future__ import annotations

from enum import Enum, auto

from contracts.call_plan import CallLimits
from contracts.commands import FUNDS_GOODBYE_MS
from runtime.call.funds import Funds

GOODBYE_SECONDS = 6.0
"""How long before the maximum duration the agent starts to say goodbye."""
GOODBYE_SHARE = 0.2
"""In a short call, the goodbye takes at most this share of the maximum duration."""


class Due(Enum):
    NOBODY_JOINED = auto()
    NUDGE = auto()
    SILENCE_TIMEOUT = auto()
    DEAD_AIR = auto()
    """Like ``SILENCE_TIMEOUT``, but the caller has not said or keyed in anything in the whole
    call."""
    MAX_DURATION = auto()
    """Time to say goodbye, so that the call ends when it reaches its maximum duration."""
    FUNDS_LAPSE = auto()
    """Time to say goodbye, because no more time is paid for."""


class LimitsWatch:
    """Times are seconds on one monotonic clock. Each ``Due`` comes once (a nudge, per silence)."""

    def __init__(self, limits: CallLimits, funds: Funds, opened_at: float) -> None:
        self._limits = limits
        self._funds = funds
        self._meter_zero_at: float | None = None
        self._funds_lapsed = False
        self._join_by: float | None = opened_at + limits.join_timeout_seconds
        self._goodbye_at: float | None = None
        self._quiet_since: float | None = None
        self._nudged = False
        self._has_spoken = False
        self._nobody_is_here = False
        self._over = False

    def started(self, now: float) -> None:
        """The first leg's media connected."""
        if self._join_by is None:
            return
        self._join_by = None
        self._quiet_since = now
        duration = float(self._limits.max_duration_seconds)
        self._goodbye_at = now + duration - min(GOODBYE_SECONDS, duration * GOODBYE_SHARE)

    def meter_runs(self, connected_ms: int, now: float) -> None:
        """Connected time counts from ``now`` on, beginning with ``connected_ms``."""
        self._meter_zero_at = now - connected_ms / 1000
        if self._nobody_is_here and self._quiet_since is not None:
            self._quiet_since = now
        self._nobody_is_here = False

    def meter_holds(self) -> None:
        """Nobody is connected, so the paid time does not pass and nobody is silent."""
        self._meter_zero_at = None
        self._nobody_is_here = True

    def activity(self, *, user_speaking: bool, agent_active: bool, now: float) -> None:
        """Who is active from ``now`` on. An agent that thinks or speaks is active."""
        if user_speaking:
            self._has_spoken = True
            self._nudged = False
        if user_speaking or agent_active:
            self._quiet_since = None
        elif self._quiet_since is None and self._join_by is None:
            self._quiet_since = now

    def keys_pressed(self, now: float) -> None:
        """A caller has pressed keys, and may press more."""
        self._has_spoken = True
        self._nudged = False
        if self._quiet_since is not None:
            self._quiet_since = now

    @property
    def next_due_at(self) -> float | None:
        """When to call ``due`` next; ``None`` when only an event can make anything due."""
        moments = [
            self._join_by,
            self._goodbye_at,
            self._funds_lapse_at,
            self._silence_due_at,
        ]
        return min((moment for moment in moments if moment is not None), default=None)

    @property
    def _funds_lapse_at(self) -> float | None:
        until_ms = self._funds.until_ms
        if self._funds_lapsed or until_ms is None or self._meter_zero_at is None:
            return None
        return self._meter_zero_at + (until_ms - FUNDS_GOODBYE_MS) / 1000

    @property
    def _silence_due_at(self) -> float | None:
        if self._quiet_since is None or self._over or self._nobody_is_here:
            return None
        if self._nudged:
            return self._quiet_since + self._limits.silence_hangup_seconds
        return self._quiet_since + self._limits.silence_prompt_seconds

    def due(self, now: float) -> Due | None:
        """The one thing to do now. If several are due, the one that ends the call comes first."""
        if self._join_by is not None and now >= self._join_by:
            self._join_by = None
            return Due.NOBODY_JOINED
        if self._goodbye_at is not None and now >= self._goodbye_at:
            self._goodbye_at = None
            return Due.MAX_DURATION
        if self._funds_lapse_at is not None and now >= self._funds_lapse_at:
            self._funds_lapsed = True
            return Due.FUNDS_LAPSE
        silence_due_at = self._silence_due_at
        if silence_due_at is None or now < silence_due_at:
            return None
        if self._nudged:
            self._over = True
            return Due.SILENCE_TIMEOUT if self._has_spoken else Due.DEAD_AIR
        self._nudged = True
        self._quiet_since = now
        return Due.NUDGE
