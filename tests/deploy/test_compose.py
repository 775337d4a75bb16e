"""The compose file, checked against the Compose Specification and our own rules for it."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import jsonschema
import pytest
import yaml

ROOT = Path(__file__).parents[2]
OUR_PROCESSES = {"api", "jobs", "worker", "bridge"}


@pytest.fixture(scope="module")
def compose() -> dict[str, Any]:
    document: dict[str, Any] = yaml.safe_load((ROOT / "docker-compose.yml").read_text())
    return document


def test_follows_the_compose_specification(compose: dict[str, Any]) -> None:
    schema = json.loads(Path(__file__).with_name("compose-spec.json").read_text())
    jsonschema.Draft201909Validator(schema).validate(compose)


def test_holds_the_whole_system(compose: dict[str, Any]) -> None:
    assert OUR_PROCESSES | {"postgres", "valkey", "livekit", "migrate"} == set(compose["services"])


def test_every_lasting_service_says_whether_it_is_healthy(compose: dict[str, Any]) -> None:
    without = {
        name for name, service in compose["services"].items() if "healthcheck" not in service
    }
    assert without == {"migrate"}


def test_only_media_is_published_on_all_interfaces(compose: dict[str, Any]) -> None:
    published = {
        (name, port)
        for name, service in compose["services"].items()
        for port in service.get("ports", ())
        if not port.startswith("127.0.0.1:")
    }
    assert published == {("livekit", "7881:7881/tcp"), ("livekit", "7882:7882/udp")}


def test_no_secret_is_written_in_the_file(compose: dict[str, Any]) -> None:
    for name, service in compose["services"].items():
        for variable, value in service.get("environment", {}).items():
            if re.search(r"KEY|SECRET|TOKEN|PASSWORD", variable):
                # Without a value it is handed on from .env.
                assert value is None or "${" in value, f"{name}: {variable}"


def test_every_variable_is_in_the_example_environment(compose: dict[str, Any]) -> None:
    used = set(re.findall(r"(?<!\$)\$\{(\w+)", yaml.safe_dump(compose)))
    offered = set(re.findall(r"^(\w+)=", (ROOT / ".env.example").read_text(), re.MULTILINE))
    assert used == offered


def test_example_environment_holds_no_secret() -> None:
    for line in (ROOT / ".env.example").read_text().splitlines():
        if re.match(r"\w*(KEY|SECRET|TOKEN|PASSWORD)\w*=", line):
            assert line.endswith("="), line


def test_what_depends_on_a_service_waits_until_it_can_be_used(compose: dict[str, Any]) -> None:
    for service in compose["services"].values():
        for name, how in service.get("depends_on", {}).items():
            expected = "service_completed_successfully" if name == "migrate" else "service_healthy"
            assert how["condition"] == expected


def test_our_processes_run_without_privileges(compose: dict[str, Any]) -> None:
    for name in OUR_PROCESSES:
        assert compose["services"][name]["cap_drop"] == ["ALL"]
    assert re.search(r"^USER (?!root)", (ROOT / "Dockerfile").read_text(), re.MULTILINE)
