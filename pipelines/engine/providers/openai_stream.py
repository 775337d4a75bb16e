"""Notices when the stream of an answer ends before the answer does."""

from __future__ import annotations

from collections.abc import AsyncIterator
from types import TracebackType
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import openai
    from openai.types.chat import ChatCompletionChunk


class AnswerBrokeOff(ConnectionError):
    """The server, or a proxy before it, closed the stream as if it were complete."""


class WholeStream:
    """The SDK's stream of chunks. It takes any end of the body for the end of the answer; this one
    raises ``AnswerBrokeOff`` if neither a reason to finish nor the usage has come."""

    def __init__(self, stream: openai.AsyncStream[ChatCompletionChunk]) -> None:
        self._stream = stream

    async def __aenter__(self) -> WholeStream:
        await self._stream.__aenter__()
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        await self._stream.__aexit__(kind, error, traceback)

    async def __aiter__(self) -> AsyncIterator[ChatCompletionChunk]:
        has_begun = is_whole = False
        async for chunk in self._stream:
            has_begun = True
            if chunk.usage is not None or any(choice.finish_reason for choice in chunk.choices):
                is_whole = True
            yield chunk
        if has_begun and not is_whole:
            raise AnswerBrokeOff("the stream ended before the answer did")
