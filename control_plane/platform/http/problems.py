"""Answers every error with ``application/problem+json`` (RFC 9457), a code and the request id."""

from __future__ import annotations

from http import HTTPStatus
from typing import Any

from fastapi import FastAPI, Request
from fastapi.exceptions import RequestValidationError
from fastapi.responses import JSONResponse
from fastapi.routing import iter_route_contexts
from starlette.exceptions import HTTPException

from control_plane.platform.errors import (
    InvalidRequest,
    MethodNotAllowed,
    NotFound,
    Problem,
    Unexpected,
)
from control_plane.platform.http.validation import field_errors

MEDIA_TYPE = "application/problem+json"
REFUSAL = "refusal"
"""Name of the ``Problem`` that a route raised, in the request's state."""


def problem_response(problem: Problem, request_id: str | None) -> JSONResponse:
    """The response: type, title, status, detail, code, request_id and the problem's extra
    members."""
    document: dict[str, Any] = {
        "type": "about:blank",
        "title": problem.title,
        "status": int(problem.status),
        "detail": problem.detail,
        "code": problem.code,
        "request_id": request_id,
    } | problem.extra
    return JSONResponse(
        document, status_code=problem.status, headers=problem.headers, media_type=MEDIA_TYPE
    )


def install_problem_handlers(app: FastAPI) -> None:
    async def on_problem(request: Request, error: Exception) -> JSONResponse:
        assert isinstance(error, Problem)
        setattr(request.state, REFUSAL, error)
        return problem_response(error, _request_id(request))

    async def on_invalid(request: Request, error: Exception) -> JSONResponse:
        assert isinstance(error, RequestValidationError)
        problem = InvalidRequest(errors=field_errors(error.errors()))
        return problem_response(problem, _request_id(request))

    async def on_http(request: Request, error: Exception) -> JSONResponse:
        assert isinstance(error, HTTPException)
        problem = _of_framework(error, request)
        return problem_response(problem, _request_id(request))

    app.add_exception_handler(Problem, on_problem)
    app.add_exception_handler(RequestValidationError, on_invalid)
    app.add_exception_handler(HTTPException, on_http)


def _of_framework(error: HTTPException, request: Request) -> Problem:
    """The problem for an error that Starlette or FastAPI raises."""
    match error.status_code:
        case HTTPStatus.NOT_FOUND:
            return NotFound(f"There is nothing at {request.url.path}")
        case HTTPStatus.METHOD_NOT_ALLOWED:
            allowed = ", ".join(_methods_of(request))
            return MethodNotAllowed(
                f"{request.url.path} supports {allowed}, not {request.method}",
                headers={"Allow": allowed},
            )
        case HTTPStatus.BAD_REQUEST:
            return InvalidRequest.at("body", "must be JSON in UTF-8")
        case _:
            return Unexpected(str(error.detail))


def _methods_of(request: Request) -> list[str]:
    """The methods of the request's path. Each method is a separate route, so all routes are
    checked."""
    return sorted(
        {
            method
            for route in iter_route_contexts(request.app.routes)
            if (pattern := getattr(route, "path_regex", None)) is not None
            and pattern.match(request.url.path)
            for method in route.methods or ()
        }
    )


def _request_id(request: Request) -> str | None:
    return getattr(request.state, "request_id", None)
