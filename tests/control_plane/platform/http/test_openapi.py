"""The OpenAPI document says what the routes really refuse with."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import Any

import httpx2
import pytest

from contracts.sealing import derived_key
from control_plane.app import create_app
from control_plane.platform.http.openapi import every_problem
from control_plane.platform.settings import ControlPlaneSettings


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


def test_every_reference_is_defined(document: dict[str, Any]) -> None:
    schemas = document["components"]["schemas"]

    def references(node: Any) -> set[str]:
        if isinstance(node, dict):
            own = {node["$ref"]} if isinstance(node.get("$ref"), str) else set()
            return own.union(*(references(value) for value in node.values()))
        if isinstance(node, list):
            return set().union(*(references(value) for value in node))
        return set()

    assert references(document) <= {f"#/components/schemas/{name}" for name in schemas}


def test_errors_are_problem_documents_only(document: dict[str, Any]) -> None:
    for path, operations in document["paths"].items():
        for method, operation in operations.items():
            takes_key = "Idempotency-Key" in str(operation.get("parameters"))
            assert ("422" in operation["responses"]) == takes_key, (method, path)
            for status, response in operation["responses"].items():
                if int(status) >= 400:
                    assert list(response["content"]) == ["application/problem+json"], (path, status)


def test_a_declared_422_is_kept(document: dict[str, Any]) -> None:
    """The framework documents its own 422 for invalid input; ours is a 400."""
    responses = document["paths"]["/v1/calls"]["post"]["responses"]
    assert responses["422"]["content"]["application/problem+json"]["schema"] == {
        "oneOf": [
            {"$ref": "#/components/schemas/ProviderKeyUnavailable"},
            {"$ref": "#/components/schemas/IdempotencyKeyReused"},
        ]
    }
    assert "InvalidRequest" in str(responses["400"])


def test_the_document_says_where_the_api_is(document: dict[str, Any]) -> None:
    assert document["servers"] == [{"url": "http://t", "description": "This installation"}]


def test_a_schema_carries_the_code_of_its_problem(document: dict[str, Any]) -> None:
    schema = document["components"]["schemas"]["AgentNotPublishReady"]
    assert schema["allOf"][1]["properties"]["code"] == {"const": "agent_not_publish_ready"}
    publish = document["paths"]["/v1/agents/{agent_id}/publish"]["post"]["responses"]
    assert publish["409"]["content"]["application/problem+json"]["schema"] == {
        "$ref": "#/components/schemas/AgentNotPublishReady"
    }


def test_a_session_that_changes_something_needs_its_token(document: dict[str, Any]) -> None:
    agents = document["paths"]["/v1/agents"]
    assert "CsrfTokenRequired" in str(agents["post"]["responses"]["403"])
    assert "CsrfTokenRequired" not in str(agents["get"]["responses"]["403"])
    assert "ForeignOrigin" in str(agents["get"]["responses"]["403"])


def test_limits_of_bodies_and_hosts_are_documented(document: dict[str, Any]) -> None:
    agents = document["paths"]["/v1/agents"]
    for method, is_limited in (("post", True), ("get", False)):
        responses = agents[method]["responses"]
        assert "HostNotAllowed" in str(responses["421"])
        assert ("BodyNotReceived" in str(responses.get("408"))) == is_limited
        assert ("TooManyBodies" in str(responses["503"])) == is_limited
    for code in ("too_many_connections", "request_not_received"):
        assert f"`{code}`" in document["info"]["description"]


def test_problems_have_names_and_codes_of_their_own() -> None:
    problems = set(every_problem())
    assert max(Counter(problem.__name__ for problem in problems).values()) == 1
    assert max(Counter(problem.code for problem in problems).values()) == 1


async def test_it_is_served(http: httpx2.AsyncClient) -> None:
    answer = await http.get("/openapi.json")
    assert answer.status_code == 200
    assert "/v1/agents" in answer.json()["paths"]
