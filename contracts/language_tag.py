"""Language tags (BCP 47, RFC 5646): language, optional script, region and variants."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import Annotated

from langcodes import Language, tag_is_valid
from pydantic import AfterValidator, StringConstraints

_SHAPE = re.compile(
    r"[A-Za-z]{2,3}(-[A-Za-z]{4})?(-([A-Za-z]{2}|[0-9]{3}))?(-[A-Za-z0-9]{4,8})*", re.ASCII
)
_NOT_SPOKEN = frozenset({None, "und", "mul", "mis", "zxx"})


@lru_cache(maxsize=4096)
def canonical_language_tag(tag: str) -> str:
    """``tag`` in canonical case: ``EN-us`` → ``en-US``, ``zh-hant-tw`` → ``zh-Hant-TW``.

    Raises:
        ValueError: it is not a tag, a subtag is not registered (``xx-QQ``), or it names
            no single language (``und``, ``mul``).
    """
    if not _SHAPE.fullmatch(tag) or not tag_is_valid(tag):
        raise ValueError(f"{tag!r} is not a BCP-47 language tag such as 'en-US' or 'hi-IN'")
    canonical = Language.get(tag, normalize=False)
    if canonical.language in _NOT_SPOKEN:
        raise ValueError(f"{tag!r} names no language; use a tag such as 'en-US' or 'hi-IN'")
    return canonical.to_tag()


LanguageTag = Annotated[
    str, StringConstraints(max_length=64), AfterValidator(canonical_language_tag)
]
"""A registered BCP-47 tag, in canonical case."""
