"""What a language model calls the tools of a server. Pure."""

from __future__ import annotations

import re
from collections.abc import Collection

LONGEST_NAME = 64
"""The most that OpenAI, Anthropic and Google all take."""
_NOT_IN_NAMES = re.compile(r"[^a-zA-Z0-9_]")


def name_for_model(binding: str, tool: str, taken: Collection[str]) -> str:
    """``crm`` and ``find.customer`` → ``crm_find_customer``; numbered if that is ``taken``."""
    name = _NOT_IN_NAMES.sub("_", f"{binding}_{tool}")
    unique = name[:LONGEST_NAME]
    number = 1
    while unique in taken:
        number += 1
        unique = f"{name[: LONGEST_NAME - len(str(number)) - 1]}_{number}"
    return unique
