"""Notices when the stream of an answer ends before the answer does."""

from __future__ import annotations

from collections.abc import AsyncIterable, AsyncIterator, Callable
from contextlib import AbstractAsyncContextManager, nullcontext
from types import TracebackType
from typing import Any, Generic, TypeVar

Chunk = TypeVar("Chunk")


class AnswerBrokeOff(ConnectionError):
    """The server, or a proxy before it, closed the stream as if it were complete."""


class WholeStream(Generic[Chunk]):
    """An SDK's stream of chunks. The SDKs take any end of the body for the end of the answer; this
    one raises ``AnswerBrokeOff`` if the answer has begun and no chunk was its end, or it went on.

    Args:
        stream: closed with this one if it is a context manager.
        amend: called with each chunk before anybody reads it.
        goes_on: whether a chunk shows that what was taken for the end was none.
    """

    def __init__(
        self,
        stream: AsyncIterable[Chunk],
        is_end: Callable[[Chunk], bool],
        amend: Callable[[Chunk], None] = lambda chunk: None,
        goes_on: Callable[[Chunk], bool] = lambda chunk: False,
    ) -> None:
        self._stream = stream
        self._is_end = is_end
        self._amend = amend
        self._goes_on = goes_on
        self._closing: AbstractAsyncContextManager[Any] = (
            stream if isinstance(stream, AbstractAsyncContextManager) else nullcontext()
        )

    async def __aenter__(self) -> WholeStream[Chunk]:
        await self._closing.__aenter__()
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        await self._closing.__aexit__(kind, error, traceback)

    async def __aiter__(self) -> AsyncIterator[Chunk]:
        has_begun = is_whole = False
        async for chunk in self._stream:
            has_begun = True
            self._amend(chunk)
            is_whole = self._is_end(chunk) or (is_whole and not self._goes_on(chunk))
            yield chunk
        if has_begun and not is_whole:
            raise AnswerBrokeOff("the stream ended before the answer did")
