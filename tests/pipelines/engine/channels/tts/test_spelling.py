from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from contracts.agent_config import Pronunciation
from pipelines.engine.channels.tts.spelling import Spelling, marked
from pipelines.texts.phonemes import cartesia

ENTRIES = (
    Pronunciation(word="SQL", say_as="sequel"),
    Pronunciation(word="Nguyen", say_as="win", ipa="wɪn"),
    Pronunciation(word="hotdog", say_as="hot dog", ipa="ˈhɑtdɔɡ"),
    Pronunciation(word="Zoë", say_as="zoey", ipa="ʁʁʁ"),
)
WIN, HOT_DOG = marked(1, "win"), marked(2, "hot dog")


def phonetic() -> Spelling:
    return Spelling(ENTRIES, cartesia)


def plain() -> Spelling:
    return Spelling(ENTRIES, None)


def test_a_voice_that_takes_phonemes_gets_them_and_another_one_say_as() -> None:
    text = f"Ask {WIN}, or a {HOT_DOG}."
    assert phonetic().whole(text) == "Ask <<w|ɪ|n>>, or a <<ˈ|h|ɑ|t|d|ɔ|ɡ>>."
    assert plain().whole(text) == "Ask win, or a hot dog."


def test_a_word_without_phonemes_of_the_voice_is_spoken_as_it_is_spelled() -> None:
    assert phonetic().whole(f"Hi {marked(3, 'zoey')}!") == "Hi zoey!"


def test_the_rest_of_a_word_that_broke_off_is_spoken_as_it_is_spelled() -> None:
    assert phonetic().whole(HOT_DOG.partition(" ")[2] + " please") == "dog please"


@pytest.mark.parametrize(
    "text", ["\ue000odd", "\ue001other\uf8ff", "\ue001win", "\uf8ff", "\ue063win\uf8ff"]
)
def test_a_text_with_such_characters_of_its_own_is_spoken_without_them(text: str) -> None:
    said = "".join(character for character in text if character.isascii())
    assert phonetic().whole(text) == said
    spelling = phonetic()
    assert spelling.more(text) + spelling.more(" so") + spelling.rest() == f"{said} so"


def test_a_text_that_holds_no_marked_word_is_not_held_back() -> None:
    assert phonetic().more("Ask ") == "Ask "
    assert phonetic().more("Ask \ue001other") == "Ask other"


@given(
    st.lists(
        st.sampled_from([WIN, HOT_DOG, marked(3, "zoey"), "a", " ", "\ue001", "\uf8ff", "wi"]),
        max_size=12,
    ),
    st.lists(st.integers(1, 5), min_size=1, max_size=60),
)
def test_cut_anywhere_it_is_the_same_text(parts: list[str], sizes: list[int]) -> None:
    text, spelling = "".join(parts), phonetic()
    pieces = []
    begin = 0
    while begin < len(text):
        size = sizes[begin % len(sizes)]
        pieces.append(spelling.more(text[begin : begin + size]))
        begin += size
    assert "".join(pieces) + spelling.rest() == phonetic().whole(text)
