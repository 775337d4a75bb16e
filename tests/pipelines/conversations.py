"""One conversation of a test: a built session, a caller's ear and mouth, and what was said."""

from __future__ import annotations

import contextlib
import re
from collections.abc import AsyncIterator
from dataclasses import dataclass

from livekit.agents.voice.transcription.synchronizer import TranscriptSynchronizer

from contracts.call_plan import CallPlan
from pipelines.engine.session import CallSession, build_session
from pipelines.engine.shared_models import WarmModels
from tests.pipelines.engine.actions import NotedActions
from tests.pipelines.engine.audio_loop import AudioLoop
from tests.pipelines.engine.speech import spoken

_SOUNDS_LIKE = {"patience": "patients"}


@dataclass(frozen=True)
class Call:
    conversation: CallSession
    audio: AudioLoop
    actions: NotedActions

    def transcript(self) -> list[tuple[str, str]]:
        messages = self.conversation.session.history.messages()
        return [(message.role, (message.text_content or "").strip()) for message in messages]

    def said_by(self, role: str) -> list[str]:
        return [text for speaker, text in self.transcript() if speaker == role]

    async def messages(self, role: str, count: int) -> list[str]:
        """The texts of ``role``, once ``count`` of them are in the transcript."""
        await self.audio.until(lambda: len(self.said_by(role)) >= count)
        return self.said_by(role)

    async def caller_says(self, text: str) -> float:
        """Say it, and return the seconds from its last sample to the agent's first."""
        self.audio.mouth.say(spoken(text))
        ended_at = await self.audio.caller_finishes()
        return await self.audio.agent_starts(ended_at) - ended_at


@contextlib.asynccontextmanager
async def conversation(plan: CallPlan, models: WarmModels) -> AsyncIterator[Call]:
    """A started session over audio in memory, closed at the end."""
    actions = NotedActions()
    built = build_session(plan, models, actions)
    audio = AudioLoop()
    session = built.session
    session.input.audio = audio.mouth
    synchronizer = TranscriptSynchronizer(next_in_chain_audio=audio.ear, next_in_chain_text=None)
    session.output.audio = synchronizer.audio_output
    session.output.transcription = synchronizer.text_output
    async with audio.running():
        await built.start()
        try:
            yield Call(built, audio, actions)
        finally:
            await session.aclose()
            await synchronizer.aclose()
            await built.aclose()


def words(text: str) -> list[str]:
    """Words that sound alike count as the same: a recogniser may write either."""
    return [_SOUNDS_LIKE.get(word, word) for word in re.findall(r"[a-z]+", text.lower())]
