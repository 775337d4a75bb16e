"""The OpenAPI document, with error schemas generated from the declared ``Problem`` classes."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from fastapi import FastAPI
from fastapi.openapi.utils import get_openapi

from control_plane.platform.errors import (
    BodyNotReceived,
    BodyTooLarge,
    DatabaseUnavailable,
    HostNotAllowed,
    InvalidRequest,
    Problem,
    TooManyBodies,
    Unauthorized,
    UnsupportedMediaType,
)
from control_plane.platform.http.openapi_tags import TAGS
from control_plane.platform.http.openapi_tidying import (
    drop_unused_schemas,
    restore_nulls,
    write_summaries_as_sentences,
)
from control_plane.platform.http.problems import MEDIA_TYPE
from control_plane.platform.idempotency.answer import KEY_HEADER
from control_plane.platform.idempotency.errors import IdempotencyKeyReused
from control_plane.platform.rate_limits.errors import RateLimited
from control_plane.platform.rate_limits.quota import LIMITED_PATHS

_DESCRIPTION = """Every request carries a key as a bearer token, or a dashboard session's cookie.
Errors are problem details (RFC 9457) whose `code` tells them apart. Times are ISO 8601 in UTC,
amounts US dollars. Lists take `limit` and `offset`; long ones also take a `cursor`. A connection
can be refused before its request is read: with 503 and `too_many_connections`, or with 408 and
`request_not_received` if a request's head takes too long."""
_MARK = "x-problems"
_FIELD_ERROR = {
    "type": "object",
    "properties": {"field": {"type": "string"}, "message": {"type": "string"}},
    "required": ["field", "message"],
}


def problems(*declared: type[Problem]) -> dict[int | str, dict[str, Any]]:
    """For a route's ``responses=``: what it can refuse with.

    For a status that the router declares as well, the route's declaration replaces the router's:
    name both there.
    """
    by_status: dict[int | str, dict[str, Any]] = {}
    for problem in declared:
        status = int(problem.status)
        response = by_status.setdefault(status, {"description": problem.title, _MARK: []})
        response[_MARK].append(problem.__name__)
    return by_status


AUTHENTICATED = (Unauthorized, DatabaseUnavailable)
"""What every route that asks for a key, a session or the operator's token can refuse with."""


@dataclass(frozen=True)
class SchemeRefusals:
    """What every route with one security scheme can refuse with, so that no route declares it."""

    scheme: str
    reading: tuple[type[Problem], ...]
    """Routes with the method GET."""
    changing: tuple[type[Problem], ...]
    """All others."""


def every_problem(of: type[Problem] = Problem) -> Iterator[type[Problem]]:
    """Every declared problem, that is every subclass."""
    for problem in of.__subclasses__():
        yield problem
        yield from every_problem(problem)


def install_openapi(app: FastAPI, of_schemes: Sequence[SchemeRefusals]) -> None:
    """Replace the app's generator by one that documents every problem."""

    def generate() -> dict[str, Any]:
        if app.openapi_schema is None:
            document = get_openapi(
                title=app.title,
                version=app.version,
                summary=app.summary,
                description=_DESCRIPTION,
                tags=TAGS,
                servers=app.servers,
                routes=app.routes,
                webhooks=app.webhooks.routes,
            )
            for receiver in document.get("webhooks", {}).values():
                # FastAPI's own answer to invalid input.
                receiver["post"]["responses"].pop("422", None)
            _describe_problems(document, of_schemes)
            write_summaries_as_sentences(document)
            restore_nulls(document)
            drop_unused_schemas(document)
            app.openapi_schema = document
        return app.openapi_schema

    app.openapi = generate  # type: ignore[method-assign]


def _describe_problems(document: dict[str, Any], of_schemes: Sequence[SchemeRefusals]) -> None:
    schemas = document.setdefault("components", {}).setdefault("schemas", {})
    for name in ("HTTPValidationError", "ValidationError"):
        schemas.pop(name, None)
    schemas[Problem.__name__] = _base_schema()
    known = {problem.__name__: problem for problem in every_problem()}
    for path, operations in document.get("paths", {}).items():
        for method, operation in operations.items():
            responses = operation["responses"]
            for status, problem in _implied(path, method, operation, of_schemes):
                responses.setdefault(status, {"description": problem.title, _MARK: []})
                responses[status].setdefault(_MARK, []).append(problem.__name__)
            for response in responses.values():
                declared = dict.fromkeys(response.pop(_MARK, []))
                _fill(response, [known[name] for name in declared], schemas)


def _implied(
    path: str, method: str, operation: dict[str, Any], of_schemes: Sequence[SchemeRefusals]
) -> list[tuple[str, type[Problem]]]:
    """What an operation can answer without declaring it: a malformed request, another server's
    host, a limit of its body or its rate, a refusal of its security scheme, a used
    ``Idempotency-Key``."""
    responses = operation["responses"]
    takes_json = "application/json" in operation.get("requestBody", {}).get("content", {})
    if _MARK not in responses.get("422", {}):
        # FastAPI's own answer to invalid input, which is a 400 here.
        responses.pop("422", None)
    found: list[type[Problem]] = [InvalidRequest, HostNotAllowed]
    if takes_json:
        found += [BodyTooLarge, BodyNotReceived, TooManyBodies, UnsupportedMediaType]
    for each in of_schemes:
        if any(each.scheme in scheme for scheme in operation.get("security", ())):
            found += each.reading if method == "get" else each.changing
    found += [RateLimited] if path.startswith(LIMITED_PATHS) else []
    takes_key = any(each["name"] == KEY_HEADER for each in operation.get("parameters", ()))
    found += [IdempotencyKeyReused] if takes_key else []
    return [(str(int(problem.status)), problem) for problem in found]


def _fill(
    response: dict[str, Any], declared: Sequence[type[Problem]], schemas: dict[str, Any]
) -> None:
    if not declared:
        return
    for problem in declared:
        schemas[problem.__name__] = _schema_of(problem)
    references = [{"$ref": f"#/components/schemas/{problem.__name__}"} for problem in declared]
    schema = references[0] if len(references) == 1 else {"oneOf": references}
    response["description"] = "; ".join(problem.title for problem in declared)
    response["content"] = {MEDIA_TYPE: {"schema": schema}}


def _base_schema() -> dict[str, Any]:
    members = {
        "type": "Always about:blank; `code` tells problems apart.",
        "title": "The kind of problem, in words.",
        "detail": "What is wrong with this request, and what would be right.",
        "code": "The kind of problem, for programs.",
        "request_id": "Quote it to the operator; also in X-Request-Id.",
    }
    return {
        "type": "object",
        "description": "Problem details (RFC 9457).",
        "required": [*members, "status"],
        "properties": {
            name: {"type": "string", "description": about} for name, about in members.items()
        }
        | {"status": {"type": "integer"}},
    }


def _schema_of(problem: type[Problem]) -> dict[str, Any]:
    properties: dict[str, Any] = {
        "code": {"const": problem.code},
        "status": {"const": int(problem.status)},
    }
    if issubclass(problem, InvalidRequest):
        properties["errors"] = {"type": "array", "items": _FIELD_ERROR}
    return {
        "title": problem.title,
        "allOf": [{"$ref": "#/components/schemas/Problem"}, {"properties": properties}],
    }
