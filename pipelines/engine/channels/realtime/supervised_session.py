"""One session with a realtime model, as the engine sees it."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, Literal

import structlog
from livekit import rtc
from livekit.agents import APIError, NotGivenOr, llm
from livekit.agents.metrics import RealtimeModelMetrics, STTMetrics
from livekit.agents.types import NOT_GIVEN
from livekit.agents.utils import is_given

from pipelines.engine.channels.model_failure import ModelFailed, failure_of
from pipelines.engine.channels.realtime.relayed_reply import RelayedReply
from pipelines.engine.channels.realtime.unanswered_speech import UnansweredSpeech
from pipelines.engine.channels.realtime.unreported_tokens import UnreportedTokens

if TYPE_CHECKING:
    from pipelines.engine.channels.realtime.supervised_realtime import SupervisedRealtime

log = structlog.get_logger(__name__)

_AS_THEY_COME = (
    "input_speech_started",
    "input_speech_stopped",
    "session_reconnected",
)
_ABOUT_A_REQUEST = "invalid_request_error"
"""The type of errors that say nothing about the model's health."""
_NEW_TURN_SECONDS = 2.0
"""Of silence, after which a voice begins a turn."""

ReplyState = Literal["none", "due", "broken_off"]


@dataclass
class Unfinished:
    """What a realtime model leaves to the pipeline. A reply may become due until that listens: to
    the results of tools that are at work."""

    failure: ModelFailed
    lost_seconds: float
    """From when the answer was asked for to the failure."""
    reply: ReplyState = "none"
    instructions: str | None = None
    """For the reply that is due."""
    words: asyncio.Task[str] | None = None
    """Of the caller's last turn, which the model has not told."""
    speech: UnansweredSpeech = field(default_factory=UnansweredSpeech)
    """What the caller says until the pipeline listens."""


class SupervisedSession(llm.RealtimeSession[Any]):
    """Emits no errors, and keeps the engine waiting for nothing: when the model fails, what the
    engine reads ends, and ``failed`` is told what is left to do."""

    def __init__(
        self,
        model: SupervisedRealtime,
        session: llm.RealtimeSession[Any],
        failed: Callable[[Unfinished], None],
    ) -> None:
        super().__init__(model)
        self._model = model
        self._session = session
        self._failed = failed
        self._loop = asyncio.get_running_loop()
        self._deadlines = model.deadlines
        self._speech = UnansweredSpeech()
        self._reply: RelayedReply | None = None
        self._given: asyncio.Future[llm.GenerationCreatedEvent] | None = None
        self._asked: asyncio.Future[llm.GenerationCreatedEvent] | None = None
        self._instructions: str | None = None
        self._words: asyncio.Task[str] | None = None
        self._turn_since = self._voice_since = time.time()
        self._voice_until = 0.0
        """0 after each turn: the next voice begins another one."""
        self._began_at: dict[str, float] = {}
        """The turns whose words are not known, by the vendor's names."""
        self._told: llm.InputTranscriptionCompleted | None = None
        """What the model has told of the turn's words, while that is not all."""
        self._tokens = UnreportedTokens(model.provider)
        self._is_accepted = False
        self._is_over = False
        self._left: Unfinished | None = None
        for name in _AS_THEY_COME:
            session.on(name, self._forward(name))
        session.on("remote_item_added", self._item_added)
        session.on("input_audio_transcription_completed", self._transcribed)
        session.on("generation_created", self._generation_created)
        session.on("metrics_collected", self._used)
        session.on("error", self._error)
        session.on("openai_server_event_received", self._server_event)

    @property
    def capabilities(self) -> llm.RealtimeCapabilities:
        return self._session.capabilities

    @property
    def chat_ctx(self) -> llm.ChatContext:
        return self._session.chat_ctx

    @property
    def tools(self) -> llm.ToolContext:
        return self._session.tools

    async def update_instructions(self, instructions: str) -> None:
        self._tokens.prompt(len(instructions))
        await self._session.update_instructions(instructions)

    async def update_chat_ctx(self, chat_ctx: llm.ChatContext) -> None:
        """A model that does not take the conversation in time has failed."""
        if self._is_over:
            return
        seconds = self._deadlines.connect_seconds + self._deadlines.idle_seconds
        try:
            async with asyncio.timeout(seconds):
                await self._session.update_chat_ctx(chat_ctx)
        except TimeoutError:
            self.fail(ModelFailed(f"did not take the conversation within {seconds:g} s"))

    async def update_tools(self, tools: list[llm.Tool]) -> None:
        await self._session.update_tools(tools)

    def update_options(self, *, tool_choice: NotGivenOr[llm.ToolChoice | None] = NOT_GIVEN) -> None:
        self._session.update_options(tool_choice=tool_choice)

    def push_audio(self, frame: rtc.AudioFrame) -> None:
        self._speech.push(frame)
        if not self._is_over:
            self._session.push_audio(frame)

    def push_video(self, frame: rtc.VideoFrame) -> None:
        self._session.push_video(frame)

    def start_user_activity(self) -> None:
        now = time.time()
        if now - self._voice_until > _NEW_TURN_SECONDS:
            self._voice_since = now
        self._voice_until = now
        self._speech.voice()
        self._session.start_user_activity()

    def commit_audio(self) -> None:
        known_seconds = _seconds(self._speech.turn)
        self._speech.turn_ended()
        self._turn_since, self._voice_until = self._voice_since, 0.0
        self._tokens.heard(_seconds(self._speech.turn) - known_seconds)
        self._session.commit_audio()

    def clear_audio(self) -> None:
        self._speech.cleared()
        self._session.clear_audio()

    def generate_reply(
        self,
        *,
        instructions: NotGivenOr[str] = NOT_GIVEN,
        tool_choice: NotGivenOr[llm.ToolChoice] = NOT_GIVEN,
        tools: NotGivenOr[list[llm.Tool]] = NOT_GIVEN,
    ) -> asyncio.Future[llm.GenerationCreatedEvent]:
        given: asyncio.Future[llm.GenerationCreatedEvent] = self._loop.create_future()
        self._drop_reply()
        reply = self._new_reply()
        self._instructions = instructions if is_given(instructions) else None
        if self._is_over or not self._model.is_wanted():
            reply.close()
            given.set_result(reply.nothing())
            if self._left is not None:
                self._left.reply, self._left.instructions = "due", self._instructions
            return given
        asked = self._session.generate_reply(
            instructions=instructions, tool_choice=tool_choice, tools=tools
        )
        self._given, self._asked = given, asked

        def begun(asked: asyncio.Future[llm.GenerationCreatedEvent]) -> None:
            if asked.cancelled():
                return
            error = asked.exception()
            if given.done() or reply is not self._reply:
                return
            if error is not None:
                self.fail(ModelFailed(f"refused to answer ({type(error).__name__})"))
            else:
                given.set_result(reply.relay(asked.result()))

        def not_wanted(given: asyncio.Future[llm.GenerationCreatedEvent]) -> None:
            if given.cancelled():
                asked.cancel()
                if reply is self._reply:
                    self._drop_reply()

        asked.add_done_callback(begun)
        given.add_done_callback(not_wanted)
        return given

    def interrupt(self) -> None:
        if self._given is not None and self._given.done():
            self._drop_reply()
        self._session.interrupt()

    def truncate(
        self,
        *,
        message_id: str,
        modalities: list[Literal["text", "audio"]],
        audio_end_ms: int,
        audio_transcript: NotGivenOr[str] = NOT_GIVEN,
    ) -> None:
        self._session.truncate(
            message_id=message_id,
            modalities=modalities,
            audio_end_ms=audio_end_ms,
            audio_transcript=audio_transcript,
        )

    async def aclose(self) -> None:
        """A server that does not say goodbye keeps nobody waiting."""
        self._forget_words()
        if not self._is_over:
            self._estimate_tokens()
        self._is_over = True
        self._drop_reply()
        self._model.closing.close(self._session)

    def fail(self, failure: ModelFailed) -> None:
        """Only the first failure counts."""
        if self._is_over:
            return
        self._estimate_tokens()
        reply, given = self._reply, self._given
        if self._told is not None and reply is not None and reply.has_answered:
            self._transcribed(replace(self._told, is_final=True))
        self._is_over = True
        state: ReplyState = "none"
        lost_seconds = 0.0
        if reply is not None and reply.is_open:
            lost_seconds = self._loop.time() - reply.asked_at
            state = "broken_off" if reply.has_answered else "due"
            if reply.has_called_tool:
                # The engine makes the call, and asks for an answer to it then.
                state = "none"
        if reply is not None:
            reply.close()
            if given is not None and not given.done():
                given.set_result(reply.nothing())
        log.info("realtime.failed", why=str(failure))
        self._left = Unfinished(
            failure,
            lost_seconds,
            state,
            self._instructions if state == "due" else None,
            self._words_of_turn() if state == "due" else None,
            self._speech,
        )
        self._failed(self._left)

    def _new_reply(self) -> RelayedReply:
        self._reply = RelayedReply(
            self._deadlines,
            late=lambda why: self.fail(ModelFailed(why)),
            answers=self._answers,
            doubts=self._words_of_turn,
        )
        return self._reply

    def _answers(self) -> None:
        self._model.answered()
        self._forget_words()

    def _words_of_turn(self) -> asyncio.Task[str] | None:
        """Begins to find them out. When the model has failed, they are needed at once."""
        if self._words is None and self._speech.turn:
            self._words = self._loop.create_task(self._model.hear(self._speech.turn))
        return self._words

    def _forget_words(self) -> None:
        if self._words is not None and not self._is_over:
            self._words.cancel()
            self._words = None

    def _drop_reply(self) -> None:
        if self._reply is not None:
            self._reply.close()
        self._reply = None

    def _forward(self, name: str) -> Callable[[Any], None]:
        def forward(event: Any) -> None:
            if not self._is_over:
                self.emit(name, event)

        return forward

    def _estimate_tokens(self) -> None:
        """Of an answer of which the model will tell nothing any more."""
        reply = self._reply
        if reply is not None and reply.is_open and self._is_accepted:
            self._model.unreported(self._tokens.unreported(reply.characters, reply.sound_seconds))

    def _used(self, metrics: RealtimeModelMetrics | STTMetrics) -> None:
        self._is_accepted = True
        if isinstance(metrics, RealtimeModelMetrics):
            if not metrics.input_tokens and not metrics.output_tokens:
                return
            self._tokens.reported(metrics)
        self._model.used(metrics)

    def _item_added(self, event: llm.RemoteItemAddedEvent) -> None:
        if self._is_over:
            return
        if isinstance(event.item, llm.ChatMessage) and event.item.role == "user":
            self._began_at[event.item.id] = self._turn_since
        self.emit("remote_item_added", event)

    def _transcribed(self, event: llm.InputTranscriptionCompleted) -> None:
        if self._is_over:
            return
        if event.is_final and event.turn_started_at is None:
            # The words may come when the answer is heard already. They come before it.
            began_at = self._began_at.pop(event.item_id, None)
            event = replace(event, turn_started_at=began_at)
        self._told = None if event.is_final else event
        if event.is_final and event.transcript.strip():
            self._speech.words_known()
            self._forget_words()
        self.emit("input_audio_transcription_completed", event)

    def _generation_created(self, event: llm.GenerationCreatedEvent) -> None:
        if event.user_initiated or self._is_over:
            return
        self._drop_reply()
        self.emit("generation_created", self._new_reply().relay(event))

    def _error(self, event: llm.RealtimeModelError) -> None:
        body = event.error.body if isinstance(event.error, APIError) else None
        if not event.recoverable:
            self.fail(failure_of(event.error))
        elif getattr(body, "type", None) == _ABOUT_A_REQUEST:
            log.info("realtime.request_refused", code=getattr(body, "code", None))
        elif self._reply is not None and self._reply.is_open:
            self.fail(ModelFailed("reported an error"))

    def _server_event(self, event: Mapping[str, Any]) -> None:
        """OpenAI's only: all that it sends."""
        self._is_accepted = True
        kind = str(event.get("type", ""))
        if kind.startswith("response.") and self._reply is not None:
            self._reply.is_alive()
        if kind == "response.done" and event.get("response", {}).get("status") == "failed":
            self.fail(ModelFailed("its answer failed"))


def _seconds(sound: Sequence[rtc.AudioFrame]) -> float:
    return sum(frame.duration for frame in sound)
