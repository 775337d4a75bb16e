"""What an agent keeps of web pages, and how much of them fits into its prompt."""

from __future__ import annotations

import pytest

from contracts.agent_config import AgentConfig
from control_plane.building.agents.knowledge.pages import (
    MOST_CHARACTERS,
    MOST_CHARACTERS_OF_PAGE,
    MOST_PAGES,
    KnowledgePage,
    cut,
    fitted,
    kept_pages,
    read_pages,
    texts_of_pages,
)

ONE, TWO = "https://one.example", "https://two.example"


def agent(*passages: str) -> AgentConfig:
    return AgentConfig.model_validate({"name": "Desk", "persona": {"knowledgeBase": passages}})


def page(address: str, text: str = "", **fields: object) -> KnowledgePage:
    return KnowledgePage(address=address, text=text, **fields)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("text", "room", "expected"),
    [
        ("One. Two.", 9, "One. Two."),
        ("A first sentence. And more", 21, "A first sentence."),
        ("A first sentence. And more", 17, "A first sentence."),
        ('He said "a word." And so on', 19, 'He said "a word."'),
        ("A first line\nwithout end", 14, "A first line"),
        ("many words and no end at all", 22, "many words and no end"),
        ("Version 1.23456789", 17, "Version 1.2345678"),
        ("一二三四。五六七", 6, "一二三四。"),
        ("x" * 30, 20, "x" * 20),
        ("Short. " + "x" * 30, 20, "Short. " + "x" * 13),
        ("One.", 0, ""),
    ],
)
def test_a_text_is_cut_at_the_end_of_a_sentence_or_a_word(
    text: str, room: int, expected: str
) -> None:
    assert cut(text, room) == expected


def test_the_first_pages_have_the_first_right_to_the_room() -> None:
    full = "word " * (MOST_CHARACTERS_OF_PAGE // 5)
    pages = (
        page("a", full),
        page("b", ""),
        page("c", full[:-1000]),
        page("d", full),
        page("e", "x"),
    )
    found = fitted(pages)
    assert sum(len(each.text) for each in found) <= MOST_CHARACTERS
    assert [(each.address, each.is_cut) for each in found] == [
        ("a", False),
        ("c", False),
        ("d", True),
    ]
    assert found[2].text == full.rstrip()[: len(found[2].text)]


def test_a_page_without_room_is_left_out() -> None:
    full = "x" * MOST_CHARACTERS_OF_PAGE
    assert MOST_CHARACTERS == 2 * MOST_CHARACTERS_OF_PAGE
    pages = (page("a", full), page("b", full), page("c", "text"))
    assert fitted(pages) == pages[:2]


def test_the_beginning_of_a_page_is_not_kept_for_a_few_words() -> None:
    full = "x" * MOST_CHARACTERS_OF_PAGE
    pages = (page("a", full), page("b", full[:-100]), page("c", full), page("d", "text"))
    assert fitted(pages) == pages[:2]


def test_a_page_that_is_not_named_any_more_is_forgotten() -> None:
    stored = (page(ONE, "Eins"), page(TWO, "Zwei"))
    assert kept_pages(agent(TWO, "text"), stored, ()) == (page(TWO, "Zwei"),)
    assert kept_pages(agent(), stored, stored) == ()


def test_pages_are_in_the_order_of_the_knowledge_base() -> None:
    stored = (page(ONE, "Eins"),)
    assert kept_pages(agent(TWO, ONE), stored, (page(TWO, "Zwei"),)) == (
        page(TWO, "Zwei"),
        page(ONE, "Eins"),
    )


def test_no_more_pages_are_kept_than_are_fetched() -> None:
    urls = [f"{ONE}/{number}" for number in range(MOST_PAGES + 1)]
    pages = tuple(page(url, "text") for url in urls)
    assert kept_pages(agent(*urls), pages, ()) == pages[:MOST_PAGES]
    assert kept_pages(agent(*reversed(urls)), pages, ())[-1] == pages[1]


def test_a_page_that_cannot_be_fetched_again_keeps_its_text() -> None:
    stored = (page(ONE, "Eins", is_cut=True),)
    failed = page(ONE, problem="The website cannot be reached.")
    [kept] = kept_pages(agent(ONE), stored, (failed,))
    assert kept == page(ONE, "Eins", is_cut=True, problem="The website cannot be reached.")
    assert texts_of_pages((kept,)) == {ONE: "Eins"}
    assert kept_pages(agent(ONE), (kept,), (page(ONE, "Neu"),)) == (page(ONE, "Neu"),)


def test_documents_are_read_again_with_parts_that_a_later_release_has_added() -> None:
    pages = (page(ONE, "Eins", is_cut=True), page(TWO, problem="No."))
    assert read_pages([each.document for each in pages]) == pages
    assert read_pages([{"address": ONE, "text": "Eins", "later": 1}]) == (page(ONE, "Eins"),)
