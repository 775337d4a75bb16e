"""How a page's bytes become text: as browsers read them, and always so that it can be stored."""

from __future__ import annotations

import asyncio
import encodings.aliases
import random
import time

import pytest

from control_plane.building.web_pages.decoding import _STEP_BYTES, decoded
from control_plane.building.web_pages.fetching import MAX_BYTES
from control_plane.platform.database import storable

LONGEST_STALL = 0.25
"""Of the event loop, as a share of the time that reading the page takes. With one step it is 1."""


@pytest.mark.parametrize(
    ("body", "charset", "text"),
    [
        (b"Gr\xfc\xdfe \x80", "ISO-8859-1", "Grüße €"),
        (b"Gr\xfc\xdfe", " latin-1 ", "Grüße"),
        (b"<meta charset=windows-1251>\xcf\xf0", None, "<meta charset=windows-1251>Пр"),
        ("日本語".encode("cp932"), "shift_jis", "日本語"),
        ("日本語".encode("iso2022_jp"), "iso-2022-jp", "日本語"),
        ("中文".encode("gb18030"), "gb2312", "中文"),
        ("한국어".encode("cp949"), "euc-kr", "한국어"),
        ("Grüße".encode("utf-16-be"), "utf-16be", "Grüße"),
        ("Grüße".encode(), None, "Grüße"),
        ("Grüße".encode(), "", "Grüße"),
    ],
)
def test_a_page_is_read_in_the_encoding_that_it_names(
    body: bytes, charset: str | None, text: str
) -> None:
    assert decoded(body, charset) == text


@pytest.mark.parametrize(
    "charset",
    ["unicode", "ucs-2", "iso-10646-ucs-2", "csunicode", "unicodefeff", "UTF-16", "utf-16be"],
)
def test_a_page_that_names_utf_16_in_ascii_is_read_as_utf_8(charset: str) -> None:
    page = f'<meta http-equiv="Content-Type" content="text/html; charset={charset}">Grüße'
    assert decoded(page.encode(), None) == page


@pytest.mark.parametrize("codec", ["utf-8-sig", "utf-16"])
def test_a_byte_order_mark_counts_more_than_what_the_header_says(codec: str) -> None:
    assert decoded("Grüße".encode(codec), "iso-8859-1") == "Grüße"


@pytest.mark.parametrize(
    "charset",
    [
        *("punycode", "idna", "undefined", "utf-7", "unicode_escape", "raw_unicode_escape", "hex"),
        *("nonsense", "x-user-defined", "hz-gb-2312", "utf-8\0", "\u212a"),
    ],
)
def test_what_browsers_do_not_read_is_read_as_utf_8(charset: str) -> None:
    body = "Grüße \\ud800 +2AA- xn--a-\xfe".encode() + b"\xff"
    assert decoded(body, charset) == "Grüße \\ud800 +2AA- xn--a-\xfe\ufffd"


def test_no_codec_of_python_makes_text_that_cannot_be_stored() -> None:
    body = random.Random(7).randbytes(5_000) + b"\0\\ud800\xd8\x00\x00\xd8+2AA-"
    for charset in {*encodings.aliases.aliases, *encodings.aliases.aliases.values()}:
        text = decoded(body, charset)
        assert text == storable(text), charset


def test_a_character_on_the_border_of_two_steps_is_one_character() -> None:
    text = "x" + "語" * 40_000
    for charset, codec in {"utf-8": "utf-8", "utf-16le": "utf-16-le", "sjis": "cp932"}.items():
        assert decoded(text.encode(codec), charset) == text


@pytest.mark.parametrize("length", range(8, 15))
def test_an_escape_sequence_that_does_not_end_is_no_error(length: int) -> None:
    """Directly before the border of two steps."""
    escape = b"\x1b" + b"$" * length
    body = b"x" * (_STEP_BYTES - len(escape)) + escape + "日本語".encode("iso2022_jp")
    assert decoded(body, "iso-2022-jp").endswith("日本語")


async def test_a_page_of_invalid_bytes_does_not_hold_the_event_loop_up() -> None:
    body = b"\x81" * (MAX_BYTES // 4)
    longest, begun = 0.0, time.monotonic()
    last = begun
    reading = asyncio.create_task(asyncio.to_thread(decoded, body, "windows-1257"))
    while not reading.done():
        await asyncio.sleep(0)
        now = time.monotonic()
        longest, last = max(longest, now - last), now
    assert len(await reading) == len(body)
    assert longest < LONGEST_STALL * (last - begun)
