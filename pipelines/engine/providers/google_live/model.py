"""A model of the Live API."""

from __future__ import annotations

from contextlib import AbstractAsyncContextManager

from google.genai import Client
from google.genai.live import AsyncSession
from livekit.agents import llm

from pipelines.engine.providers.google_live.session import GoogleLiveSession
from pipelines.engine.providers.google_live.setup import connect_config


class GoogleLive(llm.RealtimeModel):
    """
    Args:
        client: closed with this.
        connect_seconds: that the server has to accept a session.
    """

    def __init__(self, client: Client, model: str, voice: str, connect_seconds: float) -> None:
        super().__init__(
            capabilities=llm.RealtimeCapabilities(
                message_truncation=False,
                turn_detection=False,
                user_transcription=True,
                auto_tool_reply_generation=False,
                audio_output=True,
                manual_function_calls=False,
                mutable_chat_context=True,
                mutable_instructions=True,
                mutable_tools=True,
                per_response_tool_choice=True,
            )
        )
        self.connect_seconds = connect_seconds
        self._client = client
        self._model = model
        self._voice = voice

    @property
    def model(self) -> str:
        return self._model

    @property
    def provider(self) -> str:
        return "google"

    def session(self, *, turn_detection_disabled: bool = False) -> GoogleLiveSession:
        """The engine always finds the turns."""
        return GoogleLiveSession(self)

    def connect(
        self, instructions: str, tools: llm.ToolContext, handle: str | None
    ) -> AbstractAsyncContextManager[AsyncSession]:
        config = connect_config(self._model, self._voice, instructions, tools, handle)
        return self._client.aio.live.connect(model=self._model, config=config)

    async def aclose(self) -> None:
        await self._client.aio.aclose()
