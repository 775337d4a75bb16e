"""The fonts of documents. Blocks."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cache
from importlib.util import find_spec
from io import BytesIO
from pathlib import Path
from tempfile import TemporaryDirectory

_LATIN_1: frozenset[int] = frozenset(range(256))


@dataclass(frozen=True)
class Typeface:
    regular: Path
    bold: Path


@dataclass(frozen=True)
class Fonts:
    typefaces: tuple[Typeface, ...]
    """In a document, each letter is taken from the first one that has it. None: Helvetica, which
    every PDF reader brings along."""
    letters: frozenset[int]
    """The code points of all of them."""


STANDARD = Fonts((), _LATIN_1)


@contextmanager
def embedded(own: Path | None, wanted: Collection[int]) -> Iterator[Fonts]:
    """FiraGO for Latin, Cyrillic, Greek, Georgian, Devanagari, Arabic, Hebrew and Thai letters, and
    WenQuanYi Micro Hei for Chinese, Japanese and Korean ones. The files are there for the length of
    the ``with`` block.

    Args:
        own: a TrueType font that comes before them.
        wanted: the code points to show. WenQuanYi Micro Hei is large, and left out if the others
            have all of them.
    """
    with TemporaryDirectory(prefix="switchboard-fonts-") as name:
        fira = Typeface(Path(name, "regular.ttf"), Path(name, "bold.ttf"))
        fira.regular.write_bytes(_fira_go("figo"))
        fira.bold.write_bytes(_fira_go("figbo"))
        typefaces: tuple[Typeface, ...] = (fira,)
        if own is not None:
            typefaces = (Typeface(own, own), fira)
        letters = _letters_of_fira_go() | (frozenset() if own is None else letters_of(own))
        if not letters.issuperset(wanted):
            chinese = _wenquanyi()
            typefaces = (*typefaces, Typeface(chinese, chinese))
            letters |= _letters_of_wenquanyi()
        yield Fonts(typefaces, letters)


def letters_of(font: Path | BytesIO) -> frozenset[int]:
    """The code points of a TrueType font, of the first one in a collection."""
    from fontTools.ttLib import TTFont

    with TTFont(font, lazy=True, fontNumber=0) as opened:
        return frozenset(opened.getBestCmap() or ())


@cache
def _fira_go(name: str) -> bytes:
    import pymupdf_fonts

    font: bytes = pymupdf_fonts.myfont(name)
    return font


def _wenquanyi() -> Path:
    package = find_spec("paperang_p2_fonts_cjk")
    assert package is not None, "it is installed"
    assert package.origin is not None, "it is a package with files"
    return Path(package.origin).with_name("fonts") / "wqy-microhei.ttc"


@cache
def _letters_of_fira_go() -> frozenset[int]:
    return letters_of(BytesIO(_fira_go("figo")))


@cache
def _letters_of_wenquanyi() -> frozenset[int]:
    return letters_of(_wenquanyi())
