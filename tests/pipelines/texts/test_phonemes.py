from __future__ import annotations

import pytest

from pipelines.texts.phonemes import Notation, cartesia, english_phonemes, misaki, ssml


@pytest.mark.parametrize(
    ("ipa", "phonemes"),
    [
        ("wɪn", ["w", "ɪ", "n"]),
        ("/ˈdʒæzmɪn/", ["ˈ", "dʒ", "æ", "z", "m", "ɪ", "n"]),
        ("[ˈt͡ʃɛl.oʊ]", ["ˈ", "tʃ", "ɛ", "l", "oʊ"]),
        ("ˈgəʊt", ["ˈ", "ɡ", "oʊ", "t"]),
        ("ˈbʌtn̩", ["ˈ", "b", "ʌ", "t", "ə", "n"]),
        ("bɜːrd", ["b", "ɝ", "d"]),
        ("bɜːd", ["b", "ɝ", "d"]),
        ("hɒt dɒɡ", ["h", "ɑ", "t", " ", "d", "ɑ", "ɡ"]),
    ],
)
def test_what_dictionaries_write_becomes_the_phonemes_of_american_english(
    ipa: str, phonemes: list[str]
) -> None:
    assert english_phonemes(ipa) == phonemes


@pytest.mark.parametrize("ipa", ["", "//", "ˈ", "ʒʁ", "ŋɡwiən˧", "win/<b>", "xoɾxe", "ˈmyl"])
def test_what_is_no_sound_of_english_is_not_guessed(ipa: str) -> None:
    assert english_phonemes(ipa) is None
    assert cartesia("word", ipa) is None
    assert misaki("word", ipa) is None


@pytest.mark.parametrize(
    ("notation", "word", "ipa", "written"),
    [
        (ssml, "win", "wɪn", '<phoneme alphabet="ipa" ph="wɪn">win</phoneme>'),
        (ssml, "nwen", "/ŋwiən˧˧/", '<phoneme alphabet="ipa" ph="ŋwiən˧˧">nwen</phoneme>'),
        (ssml, "jazz men", "ˈdʒæzmɪn", '<phoneme alphabet="ipa" ph="ˈdʒæzmɪn">jazz-men</phoneme>'),
        (
            ssml,
            "hot dog",
            "hɑt dɔɡ",
            '<phoneme alphabet="ipa" ph="hɑt">hot</phoneme> '
            '<phoneme alphabet="ipa" ph="dɔɡ">dog</phoneme>',
        ),
        (ssml, "a b c", "eɪ biː", None),
        (ssml, "win", 'w"><break time="9s"/>', None),
        (ssml, "<win>", "wɪn", None),
        (ssml, "win", "", None),
        (cartesia, "Cartesia", "kɑɹˈtiʒə", "<<k|ɑ|ɹ|ˈ|t|i|ʒ|ə>>"),
        (cartesia, "jazz men", "ˈdʒæzmɪn", "<<ˈ|dʒ|æ|z|m|ɪ|n>>"),
        (cartesia, "cup holder", "ˈkʌp ˈhoʊldɚ", "<<ˈ|k|ə|p>> <<ˈ|h|oʊ|l|d|ɝ>>"),
        (misaki, "win", "wɪn", "[win](/wˈɪn/)"),
        (misaki, "jazz men", "ˈdʒæzmɪn", "[jazz men](/ʤˈæzmɪn/)"),
        (misaki, "hotel", "həʊˈtɛl", "[hotel](/hOtˈɛl/)"),
        (misaki, "bird", "ˈbɝdi", "[bird](/bˈɜɹdi/)"),
        (misaki, "a]b", "wɪn", None),
    ],
)
def test_each_voice_has_its_own_notation(
    notation: Notation, word: str, ipa: str, written: str | None
) -> None:
    assert notation(word, ipa) == written
