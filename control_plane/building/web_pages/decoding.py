"""Turns the bytes of a web page into text that can be stored."""

from __future__ import annotations

import codecs
import re

from control_plane.platform.database import storable

_LABELS = {
    "utf-8": "unicode-1-1-utf-8 unicode11utf8 unicode20utf8 utf-8 utf8 x-unicode20utf8",
    "cp866": "866 cp866 csibm866 ibm866",
    "iso8859-2": "csisolatin2 iso-8859-2 iso-ir-101 iso8859-2 iso88592 iso_8859-2 iso_8859-2:1987"
    " l2 latin2",
    "iso8859-3": "csisolatin3 iso-8859-3 iso-ir-109 iso8859-3 iso88593 iso_8859-3 iso_8859-3:1988"
    " l3 latin3",
    "iso8859-4": "csisolatin4 iso-8859-4 iso-ir-110 iso8859-4 iso88594 iso_8859-4 iso_8859-4:1988"
    " l4 latin4",
    "iso8859-5": "csisolatincyrillic cyrillic iso-8859-5 iso-ir-144 iso8859-5 iso88595 iso_8859-5"
    " iso_8859-5:1988",
    "iso8859-6": "arabic asmo-708 csiso88596e csiso88596i csisolatinarabic ecma-114 iso-8859-6"
    " iso-8859-6-e iso-8859-6-i iso-ir-127 iso8859-6 iso88596 iso_8859-6 iso_8859-6:1987",
    "iso8859-7": "csisolatingreek ecma-118 elot_928 greek greek8 iso-8859-7 iso-ir-126 iso8859-7"
    " iso88597 iso_8859-7 iso_8859-7:1987 sun_eu_greek",
    "iso8859-8": "csiso88598e csisolatinhebrew hebrew iso-8859-8 iso-8859-8-e iso-ir-138 iso8859-8"
    " iso88598 iso_8859-8 iso_8859-8:1988 visual csiso88598i iso-8859-8-i logical",
    "iso8859-10": "csisolatin6 iso-8859-10 iso-ir-157 iso8859-10 iso885910 l6 latin6",
    "iso8859-13": "iso-8859-13 iso8859-13 iso885913",
    "iso8859-14": "iso-8859-14 iso8859-14 iso885914",
    "iso8859-15": "csisolatin9 iso-8859-15 iso8859-15 iso885915 iso_8859-15 l9",
    "iso8859-16": "iso-8859-16",
    "koi8-r": "cskoi8r koi koi8 koi8-r koi8_r",
    "koi8-u": "koi8-ru koi8-u",
    "mac-roman": "csmacintosh mac macintosh x-mac-roman",
    "mac-cyrillic": "x-mac-cyrillic x-mac-ukrainian",
    "cp874": "dos-874 iso-8859-11 iso8859-11 iso885911 tis-620 windows-874",
    "cp1250": "cp1250 windows-1250 x-cp1250",
    "cp1251": "cp1251 windows-1251 x-cp1251",
    "cp1252": "ansi_x3.4-1968 ascii cp1252 cp819 csisolatin1 ibm819 iso-8859-1 iso-ir-100 iso8859-1"
    " iso88591 iso_8859-1 iso_8859-1:1987 l1 latin1 us-ascii windows-1252 x-cp1252"
    # The standard lacks this one, and pages have it.
    " latin-1",
    "cp1253": "cp1253 windows-1253 x-cp1253",
    "cp1254": "cp1254 csisolatin5 iso-8859-9 iso-ir-148 iso8859-9 iso88599 iso_8859-9"
    " iso_8859-9:1989 l5 latin5 windows-1254 x-cp1254",
    "cp1255": "cp1255 windows-1255 x-cp1255",
    "cp1256": "cp1256 windows-1256 x-cp1256",
    "cp1257": "cp1257 windows-1257 x-cp1257",
    "cp1258": "cp1258 windows-1258 x-cp1258",
    "gb18030": "chinese csgb2312 csiso58gb231280 gb2312 gb_2312 gb_2312-80 gbk iso-ir-58 x-gbk"
    " gb18030",
    "big5hkscs": "big5 big5-hkscs cn-big5 csbig5 x-x-big5",
    "euc-jp": "cseucpkdfmtjapanese euc-jp x-euc-jp",
    "iso2022-jp": "csiso2022jp iso-2022-jp",
    "cp932": "csshiftjis ms932 ms_kanji shift-jis shift_jis sjis windows-31j x-sjis",
    "cp949": "cseuckr csksc56011987 euc-kr iso-ir-149 korean ks_c_5601-1987 ks_c_5601-1989 ksc5601"
    " ksc_5601 windows-949",
    "utf-16-be": "unicodefffe utf-16be",
    "utf-16-le": "csunicode iso-10646-ucs-2 ucs-2 unicode unicodefeff utf-16 utf-16le",
}
"""Python's codecs for the encodings that browsers read, and the labels by which pages name them.
Source: https://encoding.spec.whatwg.org/#names-and-labels, without ``replacement`` and
``x-user-defined``, which do not make text. Python has many more codecs. Some are no encodings of
text, raise errors of their own, or take minutes for a page."""
_CODECS = {label: codec for codec, labels in _LABELS.items() for label in labels.split()}
_MARKS = {
    codecs.BOM_UTF8: "utf-8",
    codecs.BOM_UTF16_BE: "utf-16-be",
    codecs.BOM_UTF16_LE: "utf-16-le",
}
_META_CHARSET = re.compile(
    rb"<meta[^>]{0,200}charset=[\"']?\s*([A-Za-z0-9_-]{2,40})", re.IGNORECASE
)
_HEAD_BYTES = 4_096
_STEP_BYTES = 16 * 1024
"""A codec keeps the interpreter to itself. It takes up to 20 ms for so many bytes if all are
invalid."""


def decoded(body: bytes, charset: str | None) -> str:
    """Decode as the byte order mark says, else the header, else the page, else as UTF-8. Replaces
    invalid bytes. Never raises. Run it in a thread: a page of invalid bytes takes up to 2 s.

    Args:
        charset: what the header says.
    """
    for mark, codec in _MARKS.items():
        if body.startswith(mark):
            return _read(body[len(mark) :], codec)
    if charset:
        return _read(body, _codec(charset))
    codec = "utf-8"
    if match := _META_CHARSET.search(body[:_HEAD_BYTES]):
        codec = _codec(match[1].decode("ascii"))
    # What was found as ASCII is no UTF-16, whatever it says.
    # https://html.spec.whatwg.org/#prescan-a-byte-stream-to-determine-its-encoding
    return _read(body, "utf-8" if codec.startswith("utf-16") else codec)


def _codec(label: str) -> str:
    return _CODECS.get(label.strip().lower(), "utf-8")


def _read(body: bytes, codec: str) -> str:
    decoder = codecs.getincrementaldecoder(codec)("replace")
    parts = [
        _step(decoder, body[start : start + _STEP_BYTES])
        for start in range(0, len(body), _STEP_BYTES)
    ]
    return storable("".join((*parts, _step(decoder, b"", final=True))))


def _step(decoder: codecs.IncrementalDecoder, content: bytes, *, final: bool = False) -> str:
    try:
        return decoder.decode(content, final)
    except UnicodeError:
        # A codec keeps eight bytes from one step to the next, and an escape sequence can have more.
        decoder.reset()
        return "\N{REPLACEMENT CHARACTER}"
