"""Broken variants of real packets, texts and JSON documents. Pure, given the dice."""

from __future__ import annotations

import json
from random import Random
from typing import Any

_POWERS_OF_TWO = (7, 8, 16, 31, 32, 63)
EXTREME_INTEGERS = (
    *(0, 1, -1, 2, 10**30),
    *(2**power - 1 for power in _POWERS_OF_TWO),
    *(2**power for power in _POWERS_OF_TWO),
)
ODD_TEXTS = (
    "",
    " ",
    "\x00",
    "\x7f",
    "\r\n",
    "é",
    "\U0001f600",
    "\u202e",
    "%s%n",
    "{{ x }}",
    "-1",
    "1e999",
    "0" * 400,
    "a=" * 400,
    "../../etc/passwd",
)
ODD_VALUES: tuple[Any, ...] = (
    None,
    True,
    False,
    0,
    -1,
    0.5,
    1e308,
    2**63,
    -(2**63),
    10**40,
    [],
    {},
    [[]],
    {"": None},
    "\ud800",
    *ODD_TEXTS,
)
DEEP = 200


def mutated_bytes(dice: Random, sample: bytes, *, keep: int = 0) -> bytes:
    """One to four changes behind the first ``keep`` bytes."""
    data = bytearray(sample)
    for _ in range(dice.randint(1, 4)):
        at = dice.randint(min(keep, len(data)), len(data))
        match dice.randrange(6):
            case 0 if at < len(data):
                data[at] ^= 1 << dice.randrange(8)
            case 1 if at < len(data):
                data[at] = dice.choice((0, 1, 0x7F, 0x80, 0xFF, dice.randrange(256)))
            case 2:
                del data[at:]
            case 3:
                data[at:at] = dice.randbytes(dice.choice((1, 2, 4, 40)))
            case 4:
                # Lengths and counts mostly stand in two or four bytes.
                width = dice.choice((2, 4))
                limit = 1 << (8 * width)
                value = dice.choice(EXTREME_INTEGERS) % limit
                data[at : at + width] = value.to_bytes(width, "big")
            case _:
                data += data[at:][: dice.choice((4, 16, 64))]
    return bytes(data)


def mutated_lines(dice: Random, sample: str, separator: str = "\r\n") -> str:
    """One to four changes of a text that consists of lines."""
    lines = sample.split(separator)
    for _ in range(dice.randint(1, 4)):
        at = dice.randrange(len(lines)) if lines else 0
        line = lines[at] if lines else ""
        match dice.randrange(8):
            case 0:
                del lines[at : at + dice.choice((1, 1, 5))]
            case 1:
                lines[at:at] = [line] * dice.choice((1, 2, 50))
            case 2:
                other = dice.randrange(len(lines)) if lines else 0
                lines[at : at + 1] = lines[other : other + 1]
            case 3:
                lines[at : at + 1] = [_with_other_word(dice, line)]
            case 4:
                lines[at : at + 1] = [line[: dice.randint(0, len(line))]]
            case 5:
                lines[at : at + 1] = [line + " " + dice.choice(ODD_TEXTS)]
            case 6:
                lines[at:at] = [dice.choice(ODD_TEXTS)]
            case _:
                dice.shuffle(lines)
    return separator.join(lines)


def _with_other_word(dice: Random, line: str) -> str:
    words = line.split(" ")
    values = (*ODD_TEXTS, *map(str, EXTREME_INTEGERS))
    words[dice.randrange(len(words))] = dice.choice(values)
    return " ".join(words)


def mutated_json(dice: Random, sample: str) -> str | bytes:
    """One to three changes of a JSON document's values, names or bytes."""
    if dice.random() < 0.15:
        return mutated_bytes(dice, sample.encode())
    document = json.loads(sample)
    for _ in range(dice.randint(1, 3)):
        document = _changed(dice, document)
    return json.dumps(document)


def _changed(dice: Random, value: Any) -> Any:
    if isinstance(value, dict) and value and dice.random() < 0.85:
        name = dice.choice(list(value))
        match dice.randrange(8):
            case 0:
                return {key: each for key, each in value.items() if key != name}
            case 1:
                return value | {dice.choice(ODD_TEXTS): dice.choice(ODD_VALUES)}
            case _:
                return value | {name: _changed(dice, value[name])}
    if isinstance(value, list) and value and dice.random() < 0.7:
        at = dice.randrange(len(value))
        return [*value[:at], _changed(dice, value[at]), *value[at:]]
    if isinstance(value, str) and dice.random() < 0.4:
        return value + dice.choice(ODD_TEXTS)
    if dice.random() < 0.05:
        return _deep(value)
    return dice.choice(ODD_VALUES)


def _deep(value: Any) -> Any:
    for _ in range(DEEP):
        value = [value]
    return value
