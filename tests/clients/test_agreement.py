"""The client and the API's own document agree."""

from __future__ import annotations

import inspect
import json
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType
from typing import Any, get_args
from uuid import UUID

import pytest
from pydantic import TypeAdapter

from contracts.sealing import derived_key
from control_plane.app import create_app
from control_plane.platform.settings import ControlPlaneSettings
from switchboard_client import resources
from switchboard_client.facade import AsyncResource, Resource
from switchboard_client.operation import Operation
from switchboard_client.operations import (
    agents,
    api_keys,
    batches,
    billing,
    calls,
    carriers,
    catalogue,
    erasures,
    knowledge,
    numbers,
    sharing,
    webhooks,
)
from switchboard_client.paging import Pages
from switchboard_client.request import IDEMPOTENCY_KEY

GENERATE = Path(__file__).parents[2] / "clients" / "python" / "generate.py"
MODULES = (
    *(agents, api_keys, batches, billing, calls, carriers, catalogue, erasures),
    *(knowledge, numbers, sharing, webhooks),
)
VALUES: dict[str, Any] = {
    "version": 1,
    "page_size": 200,
    "overlap_seconds": 60,
    "participants": [],
    "recipients": [],
    "content": b"Guests park for free.",
}
"""Arguments that cannot be a UUID's text."""


NOTHING = {"application/json": {"schema": "schemas/dict"}}
"""A route that answers 204: the client has an empty dictionary for it."""


def described() -> Iterator[tuple[str, Operation[Any]]]:
    """Each operation, with every argument that it takes."""
    for module in MODULES:
        for name, describe in inspect.getmembers(module, inspect.isfunction):
            if describe.__module__ == module.__name__ and not name.startswith("_"):
                made = describe(**{each: value_of(each) for each in parameters(describe)})
                operation = made.first if isinstance(made, Pages) else made
                yield f"{short(module)}.{name}", operation


def parameters(describe: Any) -> list[str]:
    return list(inspect.signature(describe).parameters)


def value_of(parameter: str) -> Any:
    return VALUES.get(parameter, str(UUID(int=7)))


def short(module: ModuleType) -> str:
    return module.__name__.rpartition(".")[2]


@pytest.fixture(scope="module")
def document() -> dict[str, Any]:
    settings = ControlPlaneSettings(
        database_url="postgresql+psycopg://nowhere/none",
        redis_url="redis://nowhere",
        public_url="http://t",
        secret_key="k" * 32,
        encryption_keys=(derived_key("k"),),
        mail_outbox_dir=Path("nowhere"),
        knowledge_dir=Path("nowhere"),
        object_store_url="memory:///",
    )
    return create_app(settings).openapi()


def route_of(operation: Operation[Any], document: dict[str, Any]) -> dict[str, Any]:
    """The route that an operation's request comes to: of those that fit, the most literal."""
    request = operation.request
    fitting = [
        (path.count("{"), routes[request.method.lower()])
        for path, routes in document["paths"].items()
        if request.method.lower() in routes
        and re.fullmatch(re.sub(r"\\\{\w+\\\}", "[^/]+", re.escape(path)), request.path)
    ]
    assert fitting, f"no route takes {request.method} {request.path}"
    return min(fitting, key=lambda found: found[0])[1]


def names_of(route: dict[str, Any], place: str) -> set[str]:
    return {each["name"] for each in route.get("parameters", ()) if each["in"] == place}


def test_types_and_errors_are_what_the_api_declares() -> None:
    ran = subprocess.run(
        [sys.executable, str(GENERATE), "--check"], capture_output=True, text=True, check=False
    )
    assert ran.returncode == 0, f"stale: run `make client-types`\n{ran.stdout}{ran.stderr}"


@pytest.mark.parametrize(("name", "operation"), list(described()))
def test_an_operation_asks_for_what_its_route_takes(
    name: str, operation: Operation[Any], document: dict[str, Any]
) -> None:
    route = route_of(operation, document)
    assert set(operation.request.query) <= names_of(route, "query")
    takes_key = IDEMPOTENCY_KEY in names_of(route, "header")
    assert (IDEMPOTENCY_KEY in operation.request.headers) == takes_key


@pytest.mark.parametrize(
    ("name", "operation"), [each for each in described() if ".every" in each[0]]
)
def test_a_walk_asks_for_pages_that_its_route_gives(
    name: str, operation: Operation[Any], document: dict[str, Any]
) -> None:
    [limit] = [
        each["schema"]
        for each in route_of(operation, document)["parameters"]
        if each["name"] == "limit"
    ]
    asked = operation.request.query["limit"]
    # A route without a maximum takes any number, and gives as many as it can.
    assert int(asked) <= limit.get("maximum", int(asked))


@pytest.mark.parametrize(("name", "operation"), list(described()))
def test_an_operation_reads_what_its_route_answers(
    name: str, operation: Operation[Any], document: dict[str, Any]
) -> None:
    left_out = {"calls.create_webrtc": {"CallQueued"}}
    declared = set()
    for status, response in route_of(operation, document)["responses"].items():
        if status.startswith("2"):
            content = response.get("content", NOTHING)
            schema = content["application/json"]["schema"]
            declared |= set(re.findall(r"schemas/([\w-]+)", str(schema)))
    kinds = get_args(operation.answer) or (operation.answer,)
    assert {kind.__name__ for kind in kinds} == declared - left_out.get(name, set())


@pytest.mark.parametrize(("name", "operation"), list(described()))
def test_an_answer_may_have_members_that_are_newer_than_the_client(
    name: str, operation: Operation[Any]
) -> None:
    shape = json.dumps(TypeAdapter(operation.answer).json_schema())
    assert '"additionalProperties": false' not in shape


@pytest.mark.parametrize("name", [kind.__name__ for kind in Resource.__subclasses__()])
def test_both_clients_offer_the_same_methods(name: str) -> None:
    ours, twin = getattr(resources, name), getattr(resources, f"Async{name}")
    assert issubclass(twin, AsyncResource)

    def methods(kind: type) -> dict[str, tuple[str, list[str]]]:
        return {
            each: (member.__doc__ or "", list(inspect.signature(member).parameters)[1:])
            for each, member in vars(kind).items()
            if not each.startswith("_")
        }

    assert methods(ours).keys() == methods(twin).keys()
    for each, (about, parameters) in methods(ours).items():
        about_twin, parameters_of_twin = methods(twin)[each]
        assert parameters == parameters_of_twin
        assert about_twin in (about, f"As ``{name}.{each}``.")


@pytest.mark.parametrize("module", MODULES, ids=short)
def test_every_operation_is_offered(module: ModuleType) -> None:
    kind = getattr(resources, "".join(word.title() for word in short(module).split("_")))
    offered = set(vars(kind))
    described = {
        name
        for name, each in inspect.getmembers(module, inspect.isfunction)
        if each.__module__ == module.__name__ and not name.startswith("_")
    }
    assert described <= offered
