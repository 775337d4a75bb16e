"""A rubric's criteria. Pure."""

from __future__ import annotations

import re

MOST_CRITERIA = 50
_ITEM = re.compile(r"^\s*(?:\(?\d{1,3}[.):]|[-*•])\s*(?P<text>\S.*)$")


def criteria_of(rubric: str) -> tuple[str, ...]:
    """The criteria of a text such as ``"1. Greets the caller.\\n2. Asks for a name."``.

    An item goes on until the next one begins; what stands before the first introduces them all. In
    a text without items each line is a criterion. At most ``MOST_CRITERIA``, at least one for a
    text that is not blank.
    """
    lines = [line.strip() for line in rubric.splitlines() if line.strip()]
    if not any(_ITEM.match(line) for line in lines):
        return tuple(lines[:MOST_CRITERIA])
    criteria: list[str] = []
    for line in lines:
        if item := _ITEM.match(line):
            criteria.append(item["text"].strip())
        elif criteria:
            criteria[-1] += f" {line}"
    return tuple(criteria[:MOST_CRITERIA])
