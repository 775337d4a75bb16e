"""What an agent has of the web pages that its knowledge base names. Pure."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from pydantic import BaseModel, ConfigDict

from contracts.agent_config import AgentConfig
from contracts.versions import read_object
from pipelines.texts.page_texts import PageTexts, addresses_in

MOST_PAGES = 10
"""The addresses of a knowledge base that are fetched, the first ones."""
MOST_CHARACTERS_OF_PAGE = 20_000
MOST_CHARACTERS = 40_000
"""Of all pages together, in a prompt."""

_LEAST_ROOM = 200
"""In characters: less of a page is of no use."""
_SENTENCE_END = re.compile(r"[.!?…][\"'”’)\]]{0,3}(?=\s)|[。！？।]|\n")
_BLANK = re.compile(r"\s")
_LEAST_SHARE = 0.8
"""Of the room that a text has: a sentence or a word that ends before is not worth the loss."""


class KnowledgePage(BaseModel):
    """``problem`` says why the last attempt to fetch the page failed. It may still have the text of
    an earlier one."""

    model_config = ConfigDict(frozen=True)
    address: str
    """As the knowledge base names it."""
    text: str = ""
    is_cut: bool = False
    """Whether the page says more than ``text``."""
    problem: str | None = None

    @property
    def document(self) -> dict[str, Any]:
        """As JSON, from which ``read_pages`` makes it again."""
        return self.model_dump(mode="json", exclude_defaults=True)


Pages = tuple[KnowledgePage, ...]


def read_pages(documents: Iterable[dict[str, Any]]) -> Pages:
    return tuple(read_object(KnowledgePage, document) for document in documents)


def kept_pages(config: AgentConfig, stored: Pages, fetched: Pages) -> Pages:
    """The pages of an agent that is saved with ``config``: of the first ``MOST_PAGES`` addresses in
    its knowledge base, in that order.

    A page that could not be fetched again keeps the text that it had.
    """
    old = {page.address: page for page in stored}
    new = {page.address: _with_former_text(page, old.get(page.address)) for page in fetched}
    known = old | new
    named = list(addresses_in(config.persona))[:MOST_PAGES]
    return tuple(known[address] for address in named if address in known)


def fitted(pages: Pages) -> Pages:
    """The pages as they are in a prompt, ``MOST_CHARACTERS`` together: the first one that is too
    long for what is left is cut, and later ones are left out, as are those without a text."""

    def each() -> Iterator[KnowledgePage]:
        room = MOST_CHARACTERS
        for page in pages:
            text = cut(page.text, room if room >= _LEAST_ROOM else 0)
            is_whole = text == page.text
            room = room - len(text) if is_whole else 0
            if text:
                is_cut = page.is_cut or not is_whole
                yield page.model_copy(update={"text": text, "is_cut": is_cut, "problem": None})

    return tuple(each())


def texts_of_pages(pages: Sequence[KnowledgePage]) -> PageTexts:
    return {page.address: page.text for page in pages if page.text}


def cut(text: str, most_characters: int) -> str:
    """The beginning of ``text``, up to the end of a sentence, of a word, or where room ends."""
    if len(text) <= most_characters:
        return text
    head = text[: most_characters + 1]
    least = int(most_characters * _LEAST_SHARE)
    for end in (_SENTENCE_END, _BLANK):
        ends = [
            match.end() for match in end.finditer(head, least) if match.end() <= most_characters
        ]
        if ends:
            return head[: ends[-1]].rstrip()
    return head[:most_characters]


def _with_former_text(page: KnowledgePage, former: KnowledgePage | None) -> KnowledgePage:
    if page.text or former is None or not former.text:
        return page
    return former.model_copy(update={"problem": page.problem})
