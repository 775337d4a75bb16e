"""Reads a list of the API page by page. Pure."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from operator import attrgetter
from typing import Any, Generic, Protocol, TypeVar
from uuid import UUID

from switchboard_client.operation import Operation

PageT = TypeVar("PageT")
ItemT = TypeVar("ItemT")


@dataclass(frozen=True)
class Pages(Generic[PageT, ItemT]):
    """``following`` makes the next page's operation from the last page; ``None`` at the end."""

    first: Operation[PageT]
    items: Callable[[PageT], Sequence[ItemT]]
    following: Callable[[Operation[PageT], PageT], Operation[PageT] | None]


class _Counted(Protocol):
    total: int
    offset: int


class _Chained(Protocol):
    next_cursor: UUID | None


class _Limited(Protocol):
    limit: int


class _Identified(Protocol):
    id: UUID


CountedT = TypeVar("CountedT", bound=_Counted)
ChainedT = TypeVar("ChainedT", bound=_Chained)
LimitedT = TypeVar("LimitedT", bound=_Limited)
IdentifiedT = TypeVar("IdentifiedT", bound=_Identified)


def by_offset(
    first: Operation[CountedT],
    items: Callable[[CountedT], Sequence[ItemT]],
    key: Callable[[ItemT], object] = attrgetter("id"),
) -> Pages[CountedT, ItemT]:
    """For one walk, during which items may be removed, also by the one who walks: those behind them
    move up. So a page of a list that has become shorter is asked for again, further up.

    Args:
        key: tells whether an item came before.
    """
    seen: set[object] = set()
    total = 0

    def unseen(page: CountedT) -> Sequence[ItemT]:
        if page.total < total:
            return ()
        found = [item for item in items(page) if key(item) not in seen]
        seen.update(map(key, found))
        return found

    def following(operation: Operation[CountedT], page: CountedT) -> Operation[CountedT] | None:
        nonlocal total
        removed, total = max(0, total - page.total), page.total
        if removed and page.total:
            return _with(operation, offset=max(0, page.offset - removed))
        reached = page.offset + len(items(page))
        return _with(operation, offset=reached) if items(page) and reached < page.total else None

    return Pages(first, unseen, following)


def by_cursor(
    first: Operation[ChainedT], items: Callable[[ChainedT], Sequence[ItemT]]
) -> Pages[ChainedT, ItemT]:
    """For lists that grow meanwhile: nothing comes twice or is left out."""

    def following(operation: Operation[ChainedT], page: ChainedT) -> Operation[ChainedT] | None:
        if page.next_cursor is None:
            return None
        return _with(operation, cursor=page.next_cursor, offset=0)

    return Pages(first, items, following)


def by_last_id(
    first: Operation[LimitedT], items: Callable[[LimitedT], Sequence[IdentifiedT]]
) -> Pages[LimitedT, IdentifiedT]:
    """For lists whose cursor is the id of the last item of the previous page."""

    def following(operation: Operation[LimitedT], page: LimitedT) -> Operation[LimitedT] | None:
        seen = items(page)
        return _with(operation, cursor=seen[-1].id, offset=0) if len(seen) == page.limit else None

    return Pages(first, items, following)


def _with(operation: Operation[Any], **query: object) -> Operation[Any]:
    request = operation.request
    changed = {**request.query, **{name: str(value) for name, value in query.items()}}
    return replace(operation, request=replace(request, query=changed))
