"""``{{ variable }}`` in prompts and openers, filled with the call's variables."""

from __future__ import annotations

import re
from collections.abc import Mapping

_PLACEHOLDER = re.compile(r"([ \t]*)\{\{\s*([\w.-]+)\s*\}\}")


def fill_template(template: str, variables: Mapping[str, object]) -> str:
    """Replace each placeholder once; values are never templates themselves.

    Dots reach into nested objects (``{{ customer.name }}``). A placeholder without a value
    disappears together with the blanks before it.
    """

    def value_of(match: re.Match[str]) -> str:
        blanks, name = match.groups()
        value = _look_up(name, variables)
        return "" if value is None else f"{blanks}{value}"

    return _PLACEHOLDER.sub(value_of, template)


def _look_up(name: str, variables: Mapping[str, object]) -> object | None:
    if name in variables:
        return variables[name]
    found: object = variables
    for part in name.split("."):
        if not isinstance(found, Mapping) or part not in found:
            return None
        found = found[part]
    return found
