"""Looking up the variables of a call in texts."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

MAX_VALUES = 2_000
MAX_TEXT_CHARACTERS = 10_000
_MAX_DEPTH = 16
ABSENT = object()


def prepared(variables: Mapping[str, object]) -> dict[str, object]:
    """A copy of limited size, with dotted names (``{"customer.name": …}``) as nested objects, too.

    Texts are cut after ``MAX_TEXT_CHARACTERS``. Values after the first ``MAX_VALUES`` are left out.
    """
    copy = _Copy(MAX_VALUES)
    found = {str(name): copy.of(value) for name, value in variables.items()}
    for name in [name for name in found if "." in name]:
        _nest(found, name.split("."), found[name])
    return found


def look_up(name: str, variables: Mapping[str, object]) -> object:
    """The value of ``name``, in which dots lead into objects; ``ABSENT`` if there is none."""
    if name in variables:
        return variables[name]
    found: object = variables
    for part in name.split("."):
        found = item(found, part)
    return found


def item(holder: object, key: object) -> object:
    """An entry of an object or array, never an attribute of a Python object."""
    if isinstance(holder, Mapping):
        return holder.get(key, ABSENT) if isinstance(key, str | int) else ABSENT
    if isinstance(holder, list | tuple):
        index = int(key) if isinstance(key, str) and key.isdecimal() and len(key) < 6 else key
        if isinstance(index, int) and -len(holder) <= index < len(holder):
            return holder[index]
    return ABSENT


def _nest(holder: dict[str, object], parts: Sequence[str], value: object) -> None:
    """Put the value of ``customer.name`` under ``name`` in the object ``customer``."""
    for part in parts[:_MAX_DEPTH][:-1]:
        below = holder.setdefault(part, {})
        if not isinstance(below, dict):
            return
        holder = below
    holder[parts[-1]] = value


class _Copy:
    def __init__(self, values: int) -> None:
        self._values_left = values

    def of(self, value: object, depth: int = 0) -> object:
        self._values_left -= 1
        if self._values_left < 0 or depth > _MAX_DEPTH:
            return None
        if isinstance(value, str):
            return value[:MAX_TEXT_CHARACTERS]
        if value is None or isinstance(value, bool | int | float):
            return value
        if isinstance(value, Mapping):
            return {
                str(name): self.of(below, depth + 1)
                for name, below in value.items()
                if self._values_left > 0
            }
        if isinstance(value, list | tuple):
            return [self.of(below, depth + 1) for below in value if self._values_left > 0]
        return str(value)[:MAX_TEXT_CHARACTERS]
