"""Fetches the pages of a knowledge base, several at once, within one deadline."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence

from control_plane.building.agents.knowledge.pages import (
    MOST_CHARACTERS_OF_PAGE,
    KnowledgePage,
    Pages,
    cut,
)
from control_plane.building.web_pages.extraction import Extracted, extracted
from control_plane.building.web_pages.fetching import Page, PageNotRead, fetch_page
from control_plane.building.web_pages.printable import printable
from outbound.policy import OutboundPolicy
from outbound.resolver import Resolver

DEADLINE_SECONDS = 8.0
"""For all pages of a request together, which waits that long at most."""
PAGE_DEADLINE_SECONDS = 4.0
AT_ONCE = 5
"""Pages of one request: two rounds of slow ones fit into the deadline."""


async def fetch_pages(
    addresses: Sequence[str],
    policy: OutboundPolicy,
    resolver: Resolver,
    *,
    at_once: int = AT_ONCE,
    deadline_seconds: float = DEADLINE_SECONDS,
    page_deadline_seconds: float = PAGE_DEADLINE_SECONDS,
) -> Pages:
    """The page at each address, in the same order. One that cannot be read says why."""
    deadline = asyncio.get_running_loop().time() + deadline_seconds
    turns = asyncio.Semaphore(at_once)
    # One after the other, so that a request takes one of the threads that all requests share.
    reading = asyncio.Lock()

    async def fetched(address: str) -> KnowledgePage:
        try:
            async with asyncio.timeout_at(deadline), turns:
                page = await fetch_page(
                    address, policy, resolver=resolver, deadline_seconds=page_deadline_seconds
                )
                async with reading:
                    return await asyncio.to_thread(_read, address, page)
        except TimeoutError:
            return KnowledgePage(address=address, problem="The website did not answer in time.")
        except PageNotRead as error:
            return KnowledgePage(address=address, problem=str(error))

    async with asyncio.TaskGroup() as group:
        tasks = [group.create_task(fetched(address)) for address in addresses]
    return tuple(task.result() for task in tasks)


def _read(address: str, page: Page) -> KnowledgePage:
    found = extracted(page.text) if page.is_html else Extracted(page.text)
    whole = _lines(found.text) or _lines(found.description)
    if not whole:
        return KnowledgePage(address=address, problem="The page contains no text.")
    text = cut(whole, MOST_CHARACTERS_OF_PAGE)
    return KnowledgePage(address=address, text=text, is_cut=text != whole or found.is_cut)


def _lines(text: str) -> str:
    """Without blank lines and indentation. Reads little more than what is kept."""
    seen = printable(text[: 4 * MOST_CHARACTERS_OF_PAGE])
    lines = (" ".join(line.split()) for line in seen.splitlines())
    return "\n".join(line for line in lines if line)
