"""``docker-compose.yml`` as Compose reads it: the environment that each service gets."""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import yaml

from contracts.sealing import derived_key

ROOT = Path(__file__).parents[2]
_VARIABLE = re.compile(r"\$\$|\$\{(?P<name>\w+)(?::(?P<how>[-?])(?P<rest>[^}]*))?\}")


def read_compose() -> dict[str, Any]:
    document: dict[str, Any] = yaml.safe_load((ROOT / "docker-compose.yml").read_text())
    return document


def filled_in_example() -> dict[str, str]:
    """``.env.example``, with something in each line that has to be filled in."""
    given = {}
    for line in (ROOT / ".env.example").read_text().splitlines():
        if line and not line.startswith("#"):
            name, _, value = line.partition("=")
            secret = re.search(r"KEY|SECRET|TOKEN|PASSWORD", name) and not name.endswith("API_KEY")
            given[name] = value or (f"{name.lower()}-of-the-tests-0123456789" if secret else "")
    return given | {"SWITCHBOARD_ENCRYPTION_KEYS": derived_key("of the tests")}


def environment_of(service: Mapping[str, Any], dot_env: Mapping[str, str]) -> dict[str, str]:
    """The service's variables, with those of ``.env`` filled in.

    Raises ``KeyError`` for one that ``.env`` has to set and does not.
    """
    declared = service.get("environment", {})
    found = {
        name: interpolated(str(value), dot_env)
        for name, value in declared.items()
        if value is not None
    }
    return found | {
        name: dot_env[name] for name, value in declared.items() if value is None and name in dot_env
    }


def interpolated(text: str, dot_env: Mapping[str, str]) -> str:
    """Source: Compose Specification, "Interpolation"."""

    def value(match: re.Match[str]) -> str:
        if match["name"] is None:
            return "$"
        given = dot_env.get(match["name"], "")
        if match["how"] == "?" and not given:
            raise KeyError(f"{match['name']}: {match['rest']}")
        return given or (match["rest"] if match["how"] == "-" else "")

    return _VARIABLE.sub(value, text)


def mounted(service: Mapping[str, Any]) -> dict[str, str]:
    """What is mounted in the service, by its path there."""
    pairs = (volume.split(":")[:2] for volume in service.get("volumes", ()))
    return {path: source for source, path in pairs}
