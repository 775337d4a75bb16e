"""One request to one language model, under our own deadlines."""

from __future__ import annotations

import json

import structlog
from livekit.agents import APIConnectOptions, llm
from pydantic_core import from_json

from pipelines.engine.channels.llm.arriving_chunks import ArrivingChunks
from pipelines.engine.channels.model_failure import ModelFailed, failure_of
from pipelines.engine.channels.patience import Patience
from pipelines.engine.providers.request_sent import RequestSent
from pipelines.settings import ProviderDeadlines
from pipelines.texts.sendable_text import sendable

logger = structlog.get_logger(__name__)

ONCE = APIConnectOptions(max_retry=0, timeout=10.0)
"""For the plugins. Our deadlines are shorter; but Gemini gets this time limit as a header, and
refuses requests with less than 10 s."""


class LLMAttempt:
    def __init__(
        self,
        stream: llm.LLMStream,
        sent: RequestSent,
        deadlines: ProviderDeadlines,
        first_token_seconds: float,
    ) -> None:
        """
        Args:
            stream: has just been opened.
            sent: the request of ``stream``.
            first_token_seconds: may be shorter than usual, because others have failed before.
        """
        self._stream = stream
        self._sent = sent
        self._chunks = ArrivingChunks(stream)
        self._deadlines = deadlines
        self._first_token_seconds = first_token_seconds
        self._patience = Patience(first_token_seconds)
        self._has_sent = False
        self.has_answered = False
        """Whether a word or a tool call has come."""
        self.written_characters = 0
        self.usage: llm.CompletionUsage | None = None
        """What the vendor has reported. Those of requests that end early report nothing."""
        self._was_refused = False

    async def next(self) -> llm.ChatChunk | None:
        """The next chunk; ``None`` when the model has ended its answer.

        Raises:
            ModelFailed: it is late, it broke off, or it sent something that is no answer.
        """
        try:
            with self._patience:
                chunk = await self._chunks.next()
        except TimeoutError:
            raise self._late() from None
        except Exception as error:
            self._was_refused = not self._has_sent
            raise failure_of(error) from error
        if chunk is None:
            return None
        self._count(chunk)
        if chunk.delta is not None and chunk.delta.content:
            chunk.delta.content = sendable(chunk.delta.content)
        if _says_something(chunk):
            self.has_answered = True
        if self.has_answered:
            self._patience.allow(self._deadlines.idle_seconds)
        return chunk

    @property
    def is_charged(self) -> bool:
        """Whether the vendor has read the request. Not if it failed at once, nor if it was given up
        before it was out."""
        return self._has_sent or (self._sent.is_sent and not self._was_refused)

    @property
    def read_characters(self) -> int:
        """Of the request: its messages, tool calls and tools."""
        items = sum(_length(item) for item in self._stream.chat_ctx.items)
        tools = (each for each in self._stream.tools if isinstance(each, llm.RawFunctionTool))
        return items + sum(len(json.dumps(tool.info.raw_schema)) for tool in tools)

    def empty(self) -> ModelFailed:
        """The failure if the model ended without having answered. One that sends at least its
        usage works; then the reason may lie in what it was asked."""
        return ModelFailed("its answer was empty", concerns_others=not self._has_sent)

    async def take_the_rest(self) -> None:
        """Count what has reached this machine, and nobody has asked for: the vendor charges for it.
        What it reports there need not be estimated."""
        self._patience.end()
        if not (self._has_sent or self._sent.is_sent):
            # It would only be sent meanwhile.
            return
        for chunk in await self._chunks.rest():
            self._count(chunk)

    async def aclose(self) -> None:
        self._patience.end()
        self._chunks.close()
        await self._stream.aclose()
        # Its task may have failed after we have stopped listening. Asking for one more chunk
        # takes the exception out, which the event loop would complain about otherwise.
        try:
            await anext(self._stream, None)
        except Exception as error:  # noqa: BLE001 - the answer is over, and nobody waits for more
            logger.debug("llm.failed_while_closed", why=str(failure_of(error)))

    def _count(self, chunk: llm.ChatChunk) -> None:
        self._has_sent = True
        self.usage = chunk.usage or self.usage
        self.written_characters += _characters(chunk)

    def _late(self) -> ModelFailed:
        if self.has_answered:
            return ModelFailed(f"nothing more came for {self._deadlines.idle_seconds:g} s")
        usual_seconds = self._deadlines.llm_first_token_seconds
        return ModelFailed(
            f"no first word came within {self._first_token_seconds:.2g} s",
            concerns_others=self._first_token_seconds >= usual_seconds,
        )


def _length(item: llm.ChatItem) -> int:
    match item:
        case llm.ChatMessage():
            return len(item.text_content or "")
        case llm.FunctionCall():
            return len(item.name) + len(item.arguments)
        case llm.FunctionCallOutput():
            return len(item.output)
    return 0


def _characters(chunk: llm.ChatChunk) -> int:
    if chunk.delta is None:
        return 0
    tools = sum(len(call.name) + len(call.arguments) for call in chunk.delta.tool_calls)
    return len(chunk.delta.content or "") + tools


def _says_something(chunk: llm.ChatChunk) -> bool:
    """Raises ``ModelFailed`` for a tool call that cannot be made."""
    delta = chunk.delta
    if delta is None:
        return False
    for call in delta.tool_calls:
        if not _is_object(call.arguments):
            raise ModelFailed("the arguments of its tool call are broken", concerns_others=False)
    return bool(delta.tool_calls or (delta.content and not delta.content.isspace()))


def _is_object(document: str) -> bool:
    """Read as the engine reads them. ``json`` would take halves of surrogate pairs and hundreds of
    levels, and its ``ValueError`` for a number of 5,000 digits is not one of broken JSON."""
    try:
        return isinstance(from_json(document or "{}"), dict)
    except (ValueError, TypeError):  # The latter: the text itself holds half of a character.
        return False
