"""One conversation with a model of the Live API, as the engine sees it."""

from __future__ import annotations

import asyncio
import json
import time
from contextlib import AbstractAsyncContextManager
from typing import TYPE_CHECKING, Any, Literal

from google.genai import types
from google.genai.live import AsyncSession
from livekit import rtc
from livekit.agents import APIError, NotGivenOr, llm
from livekit.agents.types import NOT_GIVEN
from livekit.agents.utils import is_given

from pipelines.engine.channels.realtime.unanswered_speech import UnansweredSpeech
from pipelines.engine.providers.google_live.answer import LiveAnswer
from pipelines.engine.providers.google_live.answers import Answers
from pipelines.engine.providers.google_live.connection import LiveConnection, Send
from pipelines.engine.providers.google_live.heard_words import HeardWords
from pipelines.engine.providers.google_live.setup import Turns, as_request, as_turns, empty_request
from pipelines.engine.providers.google_live.usage import metrics_of

if TYPE_CHECKING:
    from pipelines.engine.providers.google_live.model import GoogleLive

_SOUND_HZ = 24_000
_NO_TOOL = "This tool cannot be used now. Answer without it."


class GoogleLiveSession(llm.RealtimeSession[Any]):
    """Connects when the engine has told the tools, which it does last."""

    def __init__(self, model: GoogleLive) -> None:
        super().__init__(model)
        self._model = model
        self._instructions = ""
        self._tools = llm.ToolContext.empty()
        self._chat_ctx = llm.ChatContext.empty()
        self._speech = UnansweredSpeech()
        """Of the caller, as far as it was not sent."""
        self._is_turn_open = False
        self._heard = HeardWords(time.time())
        self._answers = Answers(self._answers_unasked, self._answer_ended)
        self._allowed: set[str] | None = None
        """The tools that the present answer may use, if not all."""
        self._calls: set[str] = set()
        """Of tools, for which the server waits."""
        self._handle: str | None = None
        self._known: set[str] = set()
        """What a connection with the handle knows of the conversation, by its items' ids."""
        self._connection: LiveConnection | None = None
        self._connects_since = 0.0
        self._is_told = False
        """Whether the connection knows the conversation."""

    @property
    def chat_ctx(self) -> llm.ChatContext:
        return self._chat_ctx.copy()

    @property
    def tools(self) -> llm.ToolContext:
        return self._tools.copy()

    # -- what the engine tells ----------------------------------------------------------------

    async def update_instructions(self, instructions: str) -> None:
        is_new, self._instructions = instructions != self._instructions, instructions
        if is_new:
            self._set_up_again()

    async def update_tools(self, tools: list[llm.Tool]) -> None:
        new = llm.ToolContext(tools)
        is_new, self._tools = new != self._tools, new
        if self._connection is None:
            self._connection = self._connected()
        elif is_new:
            self._set_up_again()

    async def update_chat_ctx(self, chat_ctx: llm.ChatContext) -> None:
        chat_ctx = chat_ctx.copy(
            exclude_instructions=True, exclude_empty_message=True, exclude_config_update=True
        )
        known = {item.id for item in self._chat_ctx.items}
        new = [item for item in chat_ctx.items if item.id not in known]
        self._chat_ctx = chat_ctx
        if not self._is_told:
            return
        results = [item for item in new if self._is_waited_for(item)]
        if turns := as_turns(item for item in new if item not in results):
            self._send(lambda live: live.send_client_content(turns=turns, turn_complete=False))
        outputs = [item for item in results if isinstance(item, llm.FunctionCallOutput)]
        if outputs:
            self._tell_results(outputs)

    def update_options(self, *, tool_choice: NotGivenOr[llm.ToolChoice | None] = NOT_GIVEN) -> None:
        """Tools are chosen per answer."""

    def push_audio(self, frame: rtc.AudioFrame) -> None:
        if self._is_turn_open:
            self._send_sound(frame)
        else:
            self._speech.push(frame)

    def push_video(self, frame: rtc.VideoFrame) -> None:
        """Calls have none."""

    def start_user_activity(self) -> None:
        """An answer that is coming would end with the caller's turn, even if that comes to nothing.
        So the model is told of it only when it is over."""
        self._speech.voice()
        if not self._answers.is_coming:
            self._open_turn()

    def commit_audio(self) -> None:
        self._open_turn()

    def clear_audio(self) -> None:
        """Of a turn that the server has begun to hear it keeps what it knows. It ends each with an
        answer, of which nothing is wanted."""
        self._speech.cleared()
        if self._is_turn_open:
            self._allowed = set()
            self._answers.not_wanted()
            self._end_turn()

    def generate_reply(
        self,
        *,
        instructions: NotGivenOr[str] = NOT_GIVEN,
        tool_choice: NotGivenOr[llm.ToolChoice] = NOT_GIVEN,
        tools: NotGivenOr[list[llm.Tool]] = NOT_GIVEN,
    ) -> asyncio.Future[llm.GenerationCreatedEvent]:
        self._allowed = _allowed(tool_choice, tools)
        needs_no_request = self._answers.needs_no_request
        asked = self._answers.ask()
        turns: Turns = [as_request(instructions)] if is_given(instructions) else []
        if self._is_turn_open:
            if turns:
                self._send(lambda live: live.send_client_content(turns=turns, turn_complete=False))
            self._end_turn()
        elif not needs_no_request:
            turns = turns or empty_request(self._model.model)
            self._send(lambda live: live.send_client_content(turns=turns, turn_complete=True))
        return asked

    def interrupt(self) -> None:
        """The server stops when the caller's turn begins; what it sends until then is left out."""
        self._answers.drop()

    def truncate(
        self,
        *,
        message_id: str,
        modalities: list[Literal["text", "audio"]],
        audio_end_ms: int,
        audio_transcript: NotGivenOr[str] = NOT_GIVEN,
    ) -> None:
        """The server reckons itself how much was heard."""

    async def aclose(self) -> None:
        self._answers.close()
        if self._connection is not None:
            await self._connection.aclose()

    # -- the caller's turns -------------------------------------------------------------------

    def _open_turn(self) -> None:
        if self._is_turn_open:
            return
        self._is_turn_open = True
        self._answers.caller_speaks()
        self._words_complete()
        self._heard = HeardWords(time.time())
        self._send(lambda live: live.send_realtime_input(activity_start=types.ActivityStart()))
        self._speech.turn_ended()
        for frame in self._speech.turn:
            self._send_sound(frame)
        self._speech.words_known()

    def _end_turn(self) -> None:
        self._is_turn_open = False
        self._send(lambda live: live.send_realtime_input(activity_end=types.ActivityEnd()))

    def _send_sound(self, frame: rtc.AudioFrame) -> None:
        mime_type = f"audio/pcm;rate={frame.sample_rate}"
        sound = types.Blob(data=frame.data.tobytes(), mime_type=mime_type)
        self._send(lambda live: live.send_realtime_input(audio=sound))

    def _words_complete(self) -> None:
        words = self._heard.complete()
        if words is not None:
            self._chat_ctx.add_message(role="user", content=words.transcript, id=words.item_id)
            self.emit("input_audio_transcription_completed", words)

    # -- tools --------------------------------------------------------------------------------

    def _is_waited_for(self, item: llm.ChatItem) -> bool:
        return isinstance(item, llm.FunctionCallOutput) and item.call_id in self._calls

    def _tell_results(self, outputs: list[llm.FunctionCallOutput]) -> None:
        """The server answers them without being asked, once it has them all."""
        self._calls -= {output.call_id for output in outputs}
        responses = [
            types.FunctionResponse(
                id=output.call_id,
                name=output.name,
                response={"error" if output.is_error else "output": output.output},
            )
            for output in outputs
        ]
        if not self._calls:
            if any(output.reply_required for output in outputs):
                self._answers.comes_by_itself()
            else:
                self._answers.not_wanted()
        self._send(lambda live: live.send_tool_response(function_responses=responses))

    def _use_tools(self, calls: list[types.FunctionCall]) -> None:
        allowed = self._allowed
        refused = [each for each in calls if allowed is not None and each.name not in allowed]
        if refused:
            responses = [
                types.FunctionResponse(id=each.id, name=each.name, response={"error": _NO_TOOL})
                for each in refused
            ]
            self._send(lambda live: live.send_tool_response(function_responses=responses))
        wanted = [each for each in calls if each not in refused]
        answer = self._answers.present() if wanted else None
        if answer is None:
            return
        for call in wanted:
            call_id, name = call.id or "", call.name or ""
            self._calls.add(call_id)
            arguments = json.dumps(call.args or {})
            answer.calls(llm.FunctionCall(call_id=call_id, name=name, arguments=arguments))
        self._complete()

    # -- what the server tells ----------------------------------------------------------------

    def _received(self, message: types.LiveServerMessage) -> None:
        if message.server_content is not None:
            self._content(message.server_content)
        if message.tool_call is not None:
            self._use_tools(message.tool_call.function_calls or [])
        if message.tool_call_cancellation is not None:
            self._calls -= set(message.tool_call_cancellation.ids or ())
        if message.usage_metadata is not None:
            self.emit("metrics_collected", metrics_of(message.usage_metadata, self._model.label))
        update = message.session_resumption_update
        if update is not None and update.resumable and update.new_handle:
            self._handle = update.new_handle
            self._known = {item.id for item in self._chat_ctx.items}
        if message.go_away is not None and self._connection is not None:
            self._connection.renew()

    def _content(self, content: types.LiveServerContent) -> None:
        heard, said = content.input_transcription, content.output_transcription
        if heard is not None and heard.text:
            words = self._heard.take(heard.text)
            if words is not None:
                self.emit("input_audio_transcription_completed", words)
        # Words come first: what is to be heard is checked before it is.
        if said is not None and said.text and (answer := self._answers.present()) is not None:
            answer.says(said.text)
        for frame in _frames(content.model_turn):
            if (answer := self._answers.present()) is not None:
                answer.sounds(frame)
        if content.generation_complete or content.turn_complete or content.interrupted:
            self._complete()

    def _complete(self) -> None:
        self._words_complete()
        self._answers.complete()
        if self._connection is not None:
            self._connection.settle()

    def _answers_unasked(self, created: llm.GenerationCreatedEvent) -> None:
        self.emit("generation_created", created)

    def _answer_ended(self, answer: LiveAnswer) -> None:
        if answer.text:
            self._chat_ctx.add_message(role="assistant", content=answer.text, id=answer.id)

    # -- the connection -----------------------------------------------------------------------

    def _connected(self) -> LiveConnection:
        return LiveConnection(
            self._connect,
            self._opened,
            self._received,
            self._is_idle,
            self._failed,
            self._model.connect_seconds,
        )

    def _connect(self) -> AbstractAsyncContextManager[AsyncSession]:
        self._connects_since = time.perf_counter()
        self._is_told = False
        return self._model.connect(self._instructions, self._tools, self._handle)

    async def _opened(self, live: AsyncSession) -> None:
        # The former connection tells nothing more, not even the end of an answer.
        self._answers.complete()
        is_resumed = self._handle is not None
        known = self._known if is_resumed else set()
        self._is_told = True
        if turns := as_turns(item for item in self._chat_ctx.items if item.id not in known):
            await live.send_client_content(turns=turns, turn_complete=False)
        self._report_connection_acquired(time.perf_counter() - self._connects_since)

    def _is_idle(self) -> bool:
        return not (self._is_turn_open or self._answers.is_due or self._calls)

    def _set_up_again(self) -> None:
        if self._connection is not None:
            self._connection.renew()

    def _send(self, message: Send) -> None:
        if self._connection is not None:
            self._connection.send(message)

    def _failed(self, error: APIError) -> None:
        self.emit(
            "error",
            llm.RealtimeModelError(
                timestamp=time.time(), label=self._model.label, error=error, recoverable=False
            ),
        )


def _allowed(
    choice: NotGivenOr[llm.ToolChoice], tools: NotGivenOr[list[llm.Tool]]
) -> set[str] | None:
    if is_given(choice) and choice == "none":
        return set()
    return {tool.id for tool in tools} if is_given(tools) else None


def _frames(content: types.Content | None) -> list[rtc.AudioFrame]:
    sounds = [
        part.inline_data.data
        for part in (content.parts if content is not None else None) or ()
        if part.inline_data is not None and part.inline_data.data
    ]
    return [rtc.AudioFrame(sound, _SOUND_HZ, 1, len(sound) // 2) for sound in sounds]
