"""Turns the description of an operation into a method that carries it out, blocking or awaitable.

The method has the signature and the documentation of the operation, so both clients share them.
"""

from __future__ import annotations

import functools
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from typing import Concatenate, ParamSpec, TypeVar

from switchboard_client.operation import Operation
from switchboard_client.paging import Pages
from switchboard_client.transport import AsyncTransport, Transport

P = ParamSpec("P")
T = TypeVar("T")
PageT = TypeVar("PageT")
ItemT = TypeVar("ItemT")


class Resource:
    """A part of the API, whose methods block."""

    def __init__(self, transport: Transport) -> None:
        self._transport = transport


class AsyncResource:
    """A part of the API, whose methods are awaited."""

    def __init__(self, transport: AsyncTransport) -> None:
        self._transport = transport


def blocking(describe: Callable[P, Operation[T]]) -> Callable[Concatenate[Resource, P], T]:
    @functools.wraps(describe)
    def method(resource: Resource, /, *args: P.args, **kwargs: P.kwargs) -> T:
        operation = describe(*args, **kwargs)
        return operation.read(resource._transport.send(operation.request))

    return method


def awaitable(
    describe: Callable[P, Operation[T]],
) -> Callable[Concatenate[AsyncResource, P], Awaitable[T]]:
    @functools.wraps(describe)
    async def method(resource: AsyncResource, /, *args: P.args, **kwargs: P.kwargs) -> T:
        operation = describe(*args, **kwargs)
        return operation.read(await resource._transport.send(operation.request))

    return method


def iterating(
    describe: Callable[P, Pages[PageT, ItemT]],
) -> Callable[Concatenate[Resource, P], Iterator[ItemT]]:
    @functools.wraps(describe)
    def method(resource: Resource, /, *args: P.args, **kwargs: P.kwargs) -> Iterator[ItemT]:
        pages = describe(*args, **kwargs)
        operation: Operation[PageT] | None = pages.first
        while operation is not None:
            page = operation.read(resource._transport.send(operation.request))
            yield from pages.items(page)
            operation = pages.following(operation, page)

    return method


def async_iterating(
    describe: Callable[P, Pages[PageT, ItemT]],
) -> Callable[Concatenate[AsyncResource, P], AsyncIterator[ItemT]]:
    @functools.wraps(describe)
    async def method(
        resource: AsyncResource, /, *args: P.args, **kwargs: P.kwargs
    ) -> AsyncIterator[ItemT]:
        pages = describe(*args, **kwargs)
        operation: Operation[PageT] | None = pages.first
        while operation is not None:
            page = operation.read(await resource._transport.send(operation.request))
            for item in pages.items(page):
                yield item
            operation = pages.following(operation, page)

    return method
