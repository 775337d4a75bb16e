"""``THIRD_PARTY.md``: every package that an installation holds, and its licence.

The packages come from ``requirements.lock``, the licences from the packages' own metadata. What the
metadata does not say is in ``licences.toml`` beside this file: licences that are missing, and what
follows from those that are not permissive.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from importlib import metadata
from pathlib import Path

from packaging.requirements import Requirement

ROOT = Path(__file__).parents[2]
DOCUMENT = ROOT / "THIRD_PARTY.md"
LOCK = ROOT / "requirements.lock"
NOTES = Path(__file__).with_name("licences.toml")
_EXTRAS = ("offline", "embedded", "microphone")
"""The extras of ``pyproject.toml`` that people install; ``dev`` is for work on the code."""
_LOCKED = re.compile(r"^([A-Za-z0-9][A-Za-z0-9._-]*)==(\S+)", re.MULTILINE)
_LINUX = {"sys_platform": "linux", "platform_system": "Linux", "os_name": "posix"} | {
    "python_version": "3.11",
    "python_full_version": "3.11.9",
}
"""The environment that the page describes."""


@dataclass(frozen=True)
class Package:
    name: str
    version: str
    licence: str


@dataclass(frozen=True)
class Notes:
    licences: Mapping[str, str]
    """By package: what its metadata does not say, or says less exactly than its licence file."""
    obligations: Mapping[str, str]
    """By package: what follows from its licence. Markdown."""


def read_notes() -> Notes:
    data = tomllib.loads(NOTES.read_text())
    return Notes(data["licences"], data["obligations"])


def normal(name: str) -> str:
    """A package's name in its normal form (PEP 503)."""
    return re.sub(r"[-_.]+", "-", name).lower()


def locked_versions() -> dict[str, str]:
    return {normal(name): version for name, version in _LOCKED.findall(LOCK.read_text())}


def shipped(extras: tuple[str, ...] = _EXTRAS) -> set[str]:
    """The locked packages that an installation with these extras, by default all but ``dev``, holds
    on Linux."""
    locked = locked_versions()
    reached: set[str] = set()
    waiting = [("switchboard", extras)]
    while waiting:
        name, extras = waiting.pop()
        for required in _requirements_of(name, extras):
            entry = (normal(required.name), tuple(sorted(required.extras)))
            if entry[0] not in reached or entry[1]:
                reached.add(entry[0])
                waiting.append(entry)
    return {name for name in reached if name in locked}


def _requirements_of(name: str, extras: Iterable[str]) -> Iterable[Requirement]:
    for text in metadata.requires(name) or []:
        required = Requirement(text)
        if required.marker is None or any(
            required.marker.evaluate(_LINUX | {"extra": extra}) for extra in ("", *extras)
        ):
            yield required


def packages(notes: Notes) -> list[Package]:
    locked = locked_versions()
    return [
        Package(name, locked[name], notes.licences.get(name) or _licence_of(name))
        for name in sorted(shipped())
    ]


def _licence_of(name: str) -> str:
    """What the metadata says: the SPDX expression, or else its older fields. Empty if nothing."""
    said = metadata.metadata(name)
    if expression := said.get("License-Expression"):
        return str(expression)
    classified = [
        each.rpartition("::")[2].strip()
        for each in said.get_all("Classifier") or []
        if each.startswith("License ::") and not each.endswith("OSI Approved")
    ]
    if classified:
        return ", ".join(classified)
    return str(said.get("License") or "").split("\n")[0]


def render(found: Iterable[Package], notes: Notes) -> str:
    rows = "\n".join(f"| {each.name} | {each.version} | {each.licence} |" for each in found)
    obligations = "\n".join(
        f"- **{name}**: {text.strip()}".replace("\n", "\n  ")
        for name, text in notes.obligations.items()
    )
    return f"""# Third-party software

What an installation of Switchboard holds beside Switchboard itself (Apache-2.0), under which
licence, and what follows for those who run it or pass it on. `make docs` makes this page from
`requirements.lock` and the packages' own metadata. Nothing in it is legal advice.

## What follows

All packages may be used commercially and on your own machines. The licences below ask for more than
keeping their notices:

{obligations}

## Packages

On Linux, with the extras `offline`, `embedded` and `microphone`.

| package | version | licence |
|---|---|---|
{rows}
"""
