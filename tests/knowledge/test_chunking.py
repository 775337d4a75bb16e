from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from knowledge.chunking import MOST_CHARACTERS, passages_of


def test_a_passage_knows_the_headings_above_it() -> None:
    found = passages_of("# Rooms\n\n120 euros.\n\n## Pets\n\nWelcome.\n\n# Food\n\nGood.", "Hotel")
    assert [passage.context for passage in found] == [
        "Hotel › Rooms",
        "Hotel › Rooms › Pets",
        "Hotel › Food",
    ]


def test_a_heading_in_a_code_block_is_text() -> None:
    (passage,) = passages_of("```\n# no heading\n```", "Manual")
    assert passage.context == "Manual"
    assert "# no heading" in passage.text


def test_items_and_rows_stay_whole() -> None:
    rows = [
        f"| room {number} | costs {number} euros in winter and summer |" for number in range(99)
    ]
    texts = [passage.text for passage in passages_of("\n".join(rows), "Prices")]
    assert [line for text in texts for line in text.splitlines()] == rows


def test_what_a_document_repeats_is_kept_once() -> None:
    assert len(passages_of("# A\n\nSame text.\n\n# B\n\nsame  text.", "")) == 1


def test_what_is_repeated_keeps_the_headings_of_all_its_places() -> None:
    questions = ["Can I park?", "Are dogs allowed?", "Are dogs allowed?"]
    (passage,) = passages_of("".join(f"# {each}\n\nYes.\n\n" for each in questions), "Hotel")
    assert passage.context == "Hotel › Can I park?; Hotel › Are dogs allowed?"

    questions = [f"Is service number {number} free?" for number in range(200)]
    found = passages_of("".join(f"# {each}\n\nYes.\n\n" for each in questions), "Hotel")
    assert all(len(each.context) + len(each.text) <= MOST_CHARACTERS for each in found)
    assert "; ".join(each.context for each in found) == "; ".join(
        f"Hotel › {each}" for each in questions
    )


@given(st.text(max_size=3_000))
def test_no_passage_is_empty_or_too_long(text: str) -> None:
    for passage in passages_of(text, "Any"):
        assert passage.text
        assert len(passage.text) <= MOST_CHARACTERS
