"""Warnings about timing settings that contradict each other. Pure."""

from __future__ import annotations

from collections.abc import Iterator

from contracts.agent_config import AgentConfig
from contracts.call_plan import LONGEST_CALL_SECONDS
from control_plane.building.agents.publishing.finding import Finding

SHORTEST_CALL_LIMIT_SECONDS, LONGEST_CALL_LIMIT_SECONDS = 30, LONGEST_CALL_SECONDS
"""API spec, "Limits"."""
_LONG_REPLY_DELAY_MS = 3_000


def timing_advice(config: AgentConfig) -> Iterator[Finding]:
    advanced = config.advanced
    limit_seconds = advanced.max_call_duration_seconds
    if not SHORTEST_CALL_LIMIT_SECONDS <= limit_seconds <= LONGEST_CALL_LIMIT_SECONDS:
        yield Finding(
            code="call_duration_out_of_range",
            field="advanced.maxCallDuration",
            message=f"Calls end after {min(limit_seconds, LONGEST_CALL_SECONDS):g} s.",
            fix="Choose between 30 and 7200 seconds.",
        )
    if advanced.max_turn_length_seconds > advanced.max_call_duration_seconds:
        yield Finding(
            code="turn_longer_than_call",
            field="advanced.maxTurnLength",
            message="One turn of the agent may last longer than the whole call.",
            fix=f"Choose less than maxCallDuration ({advanced.max_call_duration_seconds:g} s).",
        )
    if advanced.post_silence_hangup_seconds <= advanced.silence_prompt_delay_seconds:
        yield Finding(
            code="hangup_before_nudge",
            field="advanced.postSilenceHangup",
            message=f"The agent hangs up after {advanced.post_silence_hangup_seconds:g} s of "
            f"silence, before it asks at {advanced.silence_prompt_delay_seconds:g} s whether the "
            "caller is still there.",
            fix="Choose more than silencePromptDelay.",
        )
    if advanced.post_silence_hangup_seconds >= advanced.max_call_duration_seconds:
        yield Finding(
            code="hangup_after_end",
            field="advanced.postSilenceHangup",
            message="The call ends before the agent hangs up on a silent caller.",
            fix="Choose less than maxCallDuration.",
        )
    if advanced.reply_delay_ms > _LONG_REPLY_DELAY_MS:
        yield Finding(
            code="reply_delay_long",
            field="advanced.replyDelay",
            message=f"Callers wait {advanced.reply_delay_ms:g} ms for every answer and may think "
            "that the line is dead.",
            fix=f"Choose at most {_LONG_REPLY_DELAY_MS} ms. 0 is fastest.",
        )
