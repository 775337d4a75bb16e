from __future__ import annotations

import asyncio

from pipelines.engine.channels.tts.reply_text import ReplyText, is_speakable, word_starts


def written(*pieces: str) -> ReplyText:
    text = ReplyText()
    for piece in pieces:
        text.add(piece)
    return text


async def test_a_sentence_is_whole_when_the_next_one_begins() -> None:
    text = written("We are open from Monday", " to Friday.")
    assert text.speakable == ""
    text.add(" You can come")
    assert text.speakable.strip() == "We are open from Monday to Friday."
    text.complete()
    assert text.speakable == text.text


async def test_sentences_come_in_order_until_the_text_is_complete() -> None:
    text = written("We are open from Monday to Friday. You can come at any time. ")
    sentences = []

    async def read() -> None:
        while (sentence := await text.next_sentence()) is not None:
            sentences.append(sentence)
            text.spoken += len(sentence)

    reading = asyncio.create_task(read())
    await asyncio.sleep(0)
    text.add("Goodbye.")
    await asyncio.sleep(0)
    text.complete()
    await reading
    assert "".join(sentences) == text.text
    assert len(sentences) >= 2


async def test_a_sentence_that_broke_off_goes_on_in_its_middle() -> None:
    text = written("We are open from Monday to Friday.")
    text.complete()
    text.spoken = len("We are open ")
    assert await text.next_sentence() == "from Monday to Friday."


def test_only_what_has_letters_or_digits_is_spoken() -> None:
    assert not is_speakable(" … – \n")
    assert is_speakable("№ 5")
    assert is_speakable("नमस्ते")
    assert word_starts("We – are open.") == [0, 5, 9]


async def test_a_text_without_sentences_is_spoken_in_parts_of_whole_words() -> None:
    text = written(*("hi " for _ in range(1_000)))
    assert len(text.text) - text.whole_until <= 400, "it does not wait for the end"
    text.complete()
    parts = []
    while (part := await text.next_sentence()) is not None:
        parts.append(part)
        text.spoken += len(part)
    assert "".join(parts) == text.text
    assert max(map(len, parts)) <= 400
    assert all(set(part.split()) == {"hi"} for part in parts)


async def test_a_word_that_is_too_long_is_cut_anywhere() -> None:
    text = written("x" * 1_000)
    text.complete()
    assert text.speakable == text.text
    assert await text.next_sentence() == "x" * 400
