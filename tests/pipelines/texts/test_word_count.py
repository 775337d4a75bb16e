from __future__ import annotations

import pytest

from pipelines.texts.word_count import word_count


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("", 0),
        ("No.", 1),
        ("No, wait a moment.", 4),
        ("잠깐만 기다려 주세요.", 3),
        ("एक मिनट रुकिए।", 3),
        ("喂？", 1),
        ("好的。", 1),
        ("等一下。", 2),
        ("请等一下，我有一个问题。", 5),
        ("はい。", 1),
        ("なるほど", 1),
        ("ちょっと待って", 2),
        ("ครับ", 1),
        ("รอสักครู่ครับ", 2),
        ("WLAN 密码", 2),
    ],
)
def test_words_are_counted_where_spaces_are_written_and_where_none_are(
    text: str, words: int
) -> None:
    assert word_count(text) == words
