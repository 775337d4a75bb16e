from __future__ import annotations

import time
from collections.abc import AsyncIterator

import pytest
from hypothesis import given
from hypothesis import strategies as st

from contracts.agent_config import Pronunciation
from pipelines.engine.channels.tts.spelling import marked
from pipelines.engine.pronunciation import PronunciationTable

TABLE = PronunciationTable(
    [
        Pronunciation(word="Nguyen", say_as="win"),
        Pronunciation(word="SQL", say_as="sequel"),
        Pronunciation(word="SQL Server", say_as="sequel server"),
        Pronunciation(word="C++", say_as="C plus plus"),
    ]
)


async def streamed(*pieces: str) -> str:
    async def chunks() -> AsyncIterator[str]:
        for piece in pieces:
            yield piece

    return "".join([chunk async for chunk in TABLE.rewrite_stream(chunks())])


async def test_an_entry_of_many_words_takes_no_time_in_a_long_text() -> None:
    table = PronunciationTable([Pronunciation(word="a " * 2_000 + "b", say_as="c")])

    async def chunks() -> AsyncIterator[str]:
        for _ in range(150):
            yield "a " * 32

    began_at = time.thread_time()
    assert "".join([chunk async for chunk in table.rewrite_stream(chunks())]) == "a " * 4_800
    assert time.thread_time() - began_at < 1.0


def test_whole_words_are_replaced_whatever_their_case() -> None:
    assert TABLE.rewrite("Dr. nguyen likes SQL.") == "Dr. win likes sequel."


def test_parts_of_words_are_left_alone() -> None:
    assert TABLE.rewrite("MySQL and SQLite") == "MySQL and SQLite"


def test_the_longest_entry_wins() -> None:
    assert TABLE.rewrite("SQL Server") == "sequel server"


def test_words_with_symbols_are_words() -> None:
    assert TABLE.rewrite("We use C++, too") == "We use C plus plus, too"


def test_words_are_found_where_no_spaces_are_written() -> None:
    table = PronunciationTable(
        [
            Pronunciation(word="日本橋", say_as="にほんばし"),
            Pronunciation(word="SQL", say_as="sequel"),
        ]
    )
    assert (
        table.rewrite("次は日本橋です。SQLを使います。") == "次はにほんばしです。sequelを使います。"
    )


async def test_a_text_without_spaces_is_not_held_back_to_its_end() -> None:
    table = PronunciationTable([Pronunciation(word="日本橋", say_as="にほんばし")])

    async def chunks() -> AsyncIterator[str]:
        yield "こちらは日本橋の本店でございます。"
        raise AssertionError("nothing was said yet")

    assert (await anext(table.rewrite_stream(chunks()))).startswith("こちらはにほんばしの")


def test_a_vowel_sign_ends_no_word() -> None:
    table = PronunciationTable([Pronunciation(word="राम", say_as="raam")])
    assert table.rewrite("राम रामायण पढ़ता है।") == "raam रामायण पढ़ता है।"


@pytest.mark.parametrize(
    ("word", "text"), [("Istanbul", "İstanbul"), ("isi", "ısı"), ("Weiß", "Weiß")]
)
def test_letters_that_have_more_than_two_cases_are_found(word: str, text: str) -> None:
    table = PronunciationTable([Pronunciation(word=word, say_as="other")])
    assert table.rewrite(f"{text}, 1") == "other, 1"


async def test_an_empty_table_changes_nothing() -> None:
    table = PronunciationTable([])
    assert not table
    assert table.rewrite("SQL") == "SQL"

    async def chunks() -> AsyncIterator[str]:
        yield "SQL Ser"
        yield "ver"

    assert "".join([chunk async for chunk in table.rewrite_stream(chunks())]) == "SQL Server"


async def test_a_word_that_arrives_in_pieces_is_replaced() -> None:
    assert await streamed("Hello Ngu", "yen, the S", "QL Ser", "ver is up") == (
        "Hello win, the sequel server is up"
    )


async def test_an_entry_of_two_words_is_not_cut_in_two() -> None:
    assert await streamed("SQL", " ", "Server", " ", "is up") == "sequel server is up"


@given(
    st.lists(
        st.sampled_from(["SQL", " ", "Server", "Ngu", "yen", "C+", "+", ", ", ". ", "x"]),
        max_size=30,
    )
)
async def test_streaming_gives_what_the_whole_text_gives(pieces: list[str]) -> None:
    assert await streamed(*pieces) == TABLE.rewrite("".join(pieces))


def test_a_word_with_phonemes_is_marked_where_a_voice_takes_them() -> None:
    entries = [
        Pronunciation(word="SQL", say_as="sequel"),
        Pronunciation(word="Nguyen", say_as="win", ipa="wɪn"),
    ]
    text = "Nguyen likes SQL."
    assert PronunciationTable(entries).rewrite(text) == "win likes sequel."
    assert PronunciationTable(entries, marks_phonemes=True).rewrite(text) == (
        f"{marked(1, 'win')} likes sequel."
    )
