"""Generating and recognising API keys. Pure."""

from __future__ import annotations

import hashlib
import re
import secrets
from dataclasses import dataclass
from typing import Literal

KeyKind = Literal["secret", "publishable"]

PREFIXES: dict[KeyKind, str] = {"secret": "sb_secret_", "publishable": "sb_publishable_"}
_RANDOM_BYTES = 32
_WELL_FORMED = re.compile(r"sb_(secret|publishable)_[A-Za-z0-9_-]{43}")


@dataclass(frozen=True)
class NewKey:
    """``key`` is shown to its owner once; only ``key_hash`` and ``hint`` are stored."""

    key: str
    key_hash: bytes
    hint: str


def new_key(kind: KeyKind) -> NewKey:
    """A key with 256 random bits."""
    prefix = PREFIXES[kind]
    key = prefix + secrets.token_urlsafe(_RANDOM_BYTES)
    return NewKey(key, hash_of(key), f"{key[: len(prefix) + 4]}…{key[-4:]}")


def is_well_formed(key: str) -> bool:
    """Whether ``key`` has the form of a key. Anything else is refused without asking the
    database."""
    return _WELL_FORMED.fullmatch(key) is not None


def hash_of(key: str) -> bytes:
    """SHA-256. A slow password hash would add nothing, because the key has 256 random bits."""
    return hashlib.sha256(key.encode()).digest()
