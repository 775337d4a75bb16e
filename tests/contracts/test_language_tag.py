"""BCP-47 tags: registered subtags only, in canonical case. Source: RFC 5646, 2.1.1 and 2.2.9."""

from __future__ import annotations

import pytest

from contracts.language_tag import canonical_language_tag


@pytest.mark.parametrize(
    ("sent", "kept"),
    [
        ("en-US", "en-US"),
        ("EN-us", "en-US"),
        ("hi-in", "hi-IN"),
        ("zh-hant-tw", "zh-Hant-TW"),
        ("es-419", "es-419"),
        ("de-1996", "de-1996"),
        ("yue", "yue"),
    ],
)
def test_a_registered_tag_is_kept_in_canonical_case(sent: str, kept: str) -> None:
    assert canonical_language_tag(sent) == kept


@pytest.mark.parametrize(
    "sent",
    [
        *("", "english", "xx-QQ", "en_US", "en-", "en--US", "x-private", "i-klingon"),
        *("und", "mul", "zxx", "ｅｎ", "en-US ", "en-US\n", "*", "en-Abcd-US"),
    ],
)
def test_anything_else_is_refused(sent: str) -> None:
    with pytest.raises(ValueError, match="language"):
        canonical_language_tag(sent)
