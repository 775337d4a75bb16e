"""The tenant's own endpoints of an agent: which address serves a channel, and how it is spoken to.

Formats: docs/custom-endpoints.md. Pure.
"""

from __future__ import annotations

from typing import Literal

from contracts.agent_config import AgentConfig
from contracts.call_plan import Channel

CUSTOM_URL_FIELDS: dict[Channel, str] = {
    "stt": "custom_transcriber_url",
    "llm": "custom_llm_url",
    "tts": "custom_voice_url",
}


def custom_url(agent: AgentConfig, channel: Channel) -> str | None:
    url: str | None = getattr(agent, CUSTOM_URL_FIELDS[channel])
    return url


def custom_scheme(agent: AgentConfig, channel: Channel) -> Literal["https", "wss"]:
    """The scheme that the channel's format needs: requests, or a websocket."""
    if channel == "llm" or (channel == "tts" and agent.custom_voice_mode == "compat"):
        return "https"
    return "wss"


def has_fitting_scheme(agent: AgentConfig, channel: Channel) -> bool:
    url = custom_url(agent, channel)
    return url is None or url.lower().startswith(f"{custom_scheme(agent, channel)}://")
