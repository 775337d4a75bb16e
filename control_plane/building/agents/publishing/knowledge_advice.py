"""Warnings about web pages whose text the prompt lacks, or has only a part of. Pure."""

from __future__ import annotations

from collections.abc import Iterator

from contracts.agent_config import AgentConfig
from control_plane.building.agents.knowledge.pages import (
    MOST_CHARACTERS,
    MOST_PAGES,
    KnowledgePage,
    Pages,
    fitted,
)
from control_plane.building.agents.publishing.finding import Finding
from pipelines.texts.page_texts import addresses_in
from pipelines.texts.prompt import described

_FETCH = "save persona.knowledgeBase again, which fetches its pages"
_TOO_MANY = f"Only the first {MOST_PAGES} addresses of a knowledge base are fetched."
_WRITE = "write what callers ask for into persona.knowledgeBase as text"


def knowledge_advice(config: AgentConfig, pages: Pages) -> Iterator[Finding]:
    """
    Args:
        pages: of the addresses in the knowledge base, as far as it was tried to fetch them.
    """
    if config.advanced.prompt_mode == "raw":
        return
    known = {page.address: page for page in pages}
    in_prompt = {page.address: page for page in fitted(pages)}
    for place, (address, index) in enumerate(addresses_in(described(config).persona).items()):
        field = f"persona.knowledgeBase[{index}]"
        if address in in_prompt:
            yield from _of_text(field, in_prompt[address], known[address].problem)
        else:
            why = _why_missing(known.get(address)) if place < MOST_PAGES else _TOO_MANY
            yield Finding(
                code="page_missing",
                field=field,
                message=f"The text of {address} is not in the prompt. {why}",
                fix=f"Correct the address, or {_FETCH}, or {_WRITE}.",
            )


def _of_text(field: str, page: KnowledgePage, problem: str | None) -> Iterator[Finding]:
    """
    Args:
        page: as it is in the prompt.
        problem: why it was not fetched again.
    """
    if problem:
        yield Finding(
            code="page_outdated",
            field=field,
            message=f"The text of {page.address} is that of an earlier save. {problem}",
            fix=f"Accept it, or {_FETCH}.",
        )
    if page.is_cut:
        yield Finding(
            code="page_cut",
            field=field,
            message=f"Only the first {len(page.text)} characters of the text of "
            f"{page.address} are in the prompt.",
            fix=f"Name a shorter page, or {_WRITE}.",
        )


def _why_missing(page: KnowledgePage | None) -> str:
    if page is None:
        return "It was not fetched yet."
    if page.text:
        return f"The pages before it take up the {MOST_CHARACTERS} characters that pages may have."
    return page.problem or "The page contains no text."
