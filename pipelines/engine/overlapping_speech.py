"""Which of a caller's words count while the agent speaks."""

from __future__ import annotations

from dataclasses import dataclass

from livekit.agents import AgentSession

from pipelines.engine.barge_in import BargeIn, is_backchannel


@dataclass(frozen=True)
class OverlappingSpeech:
    session: AgentSession[None]
    barge_in: BargeIn

    def is_heard(self, text: str) -> bool:
        """Whether the engine gets what the recogniser has written. It takes every text for a
        reason to stop the agent."""
        speech = self.session.current_speech
        if speech is None or not speech.allow_interruptions:
            return True
        match self.session.agent_state:
            case "speaking":
                return self.barge_in.stops_agent_as(text)
            case "listening":
                # It has only paused, for a sound that seemed to be a word.
                return not is_backchannel(text)
        return True
