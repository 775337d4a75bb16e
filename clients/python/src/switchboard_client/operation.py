"""One thing that the API can do: the request, and how its reply is read. Pure."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any, Generic, TypeVar

from pydantic import BaseModel, TypeAdapter, ValidationError

from switchboard_client.errors import UnexpectedAnswer
from switchboard_client.request import Reply, Request

T = TypeVar("T")

Body = BaseModel | Mapping[str, Any]
"""A model of ``switchboard_client.models``, or the same as a plain document."""


@dataclass(frozen=True)
class Operation(Generic[T]):
    request: Request
    answer: Any
    """The type ``T``, which may be a union."""

    def once(self, key: str | None) -> Operation[T]:
        """Carried out once, however often it is sent: for routes that take an
        ``Idempotency-Key``."""
        return replace(self, request=self.request.once(key))

    def read(self, reply: Reply) -> T:
        """
        Raises:
            ApiError: the API refused.
            UnexpectedAnswer: the answer is not of the declared shape.
        """
        document = reply.document()
        try:
            answer: T = TypeAdapter(self.answer).validate_python(document)
        except ValidationError as error:
            raise UnexpectedAnswer(
                f"The answer to {self.request.method} {self.request.path} is no "
                f"{getattr(self.answer, '__name__', self.answer)}: {error}"
            ) from error
        return answer


def get(path: str, answer: type[T], query: Mapping[str, str] | None = None) -> Operation[T]:
    return Operation(Request("GET", path, query or {}), answer)


def post(path: str, answer: type[T], body: object = None) -> Operation[T]:
    return Operation(Request("POST", path, body=body_document(body)), answer)


def patch(path: str, answer: type[T], body: object) -> Operation[T]:
    return Operation(Request("PATCH", path, body=body_document(body)), answer)


def put(path: str, answer: type[T], body: object) -> Operation[T]:
    return Operation(Request("PUT", path, body=body_document(body)), answer)


def delete(path: str, answer: type[T]) -> Operation[T]:
    return Operation(Request("DELETE", path), answer)


def body_document(content: Any) -> Any:
    """As JSON: models with what was set in them, mappings without what is ``None`` at the top."""
    match content:
        case BaseModel():
            return content.model_dump(mode="json", by_alias=True, exclude_unset=True)
        case Mapping():
            return {key: body_document(value) for key, value in content.items()}
        case list() | tuple():
            return [body_document(each) for each in content]
        case None | str() | int() | float():
            return content
        case _:
            return str(content)


def given(**members: object) -> dict[str, object]:
    """The members of a body that the caller named."""
    return {name: value for name, value in members.items() if value is not None}
