"""Which of a caller's words count while the agent speaks."""

from __future__ import annotations

from livekit.agents import AgentSession

from pipelines.engine.barge_in import BargeIn, is_backchannel


class OverlappingSpeech:
    def __init__(self, barge_in: BargeIn) -> None:
        self._barge_in = barge_in
        self._session: AgentSession[None] | None = None

    def follow(self, session: AgentSession[None]) -> None:
        """Before that, everything is heard."""
        self._session = session

    def is_heard(self, text: str) -> bool:
        """Whether the engine gets what the recogniser has written. It takes every text for a
        reason to stop the agent."""
        session = self._session
        speech = None if session is None else session.current_speech
        if session is None or speech is None or not speech.allow_interruptions:
            return True
        match session.agent_state:
            case "speaking":
                return self._barge_in.stops_agent_as(text)
            case "listening":
                # It has only paused, for a sound that seemed to be a word.
                return not is_backchannel(text)
        return True
