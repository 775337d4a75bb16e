"""One operation of the API: its request, and how to read its reply. Pure."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any, Generic, TypeVar

from pydantic import BaseModel, TypeAdapter, ValidationError

from switchboard_client.errors import UnexpectedAnswer
from switchboard_client.request import Reply, Request

T = TypeVar("T")

Body = BaseModel | Mapping[str, Any]
"""A model of ``switchboard_client.models``, or a dictionary with the same members."""


@dataclass(frozen=True)
class Operation(Generic[T]):
    request: Request
    answer: Any
    """The type ``T``, which may be a union."""

    def once(self, key: str | None) -> Operation[T]:
        """The same with an ``Idempotency-Key``, so that the API carries it out only once, even if
        it is sent again. Only for routes that take one."""
        return replace(self, request=self.request.once(key))

    def read(self, reply: Reply) -> T:
        """
        Raises:
            ApiError: the API refused.
            UnexpectedAnswer: the answer does not have the declared shape.
        """
        document = reply.document()
        try:
            answer: T = TypeAdapter(self.answer).validate_python(document)
        except ValidationError as error:
            raise UnexpectedAnswer(
                f"The answer to {self.request.method} {self.request.path} is not a valid "
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


def delete(path: str, answer: type[T], gone: object = None) -> Operation[T]:
    """
    Args:
        gone: the answer's JSON, if the API refuses to delete what is deleted already.
    """
    return Operation(Request("DELETE", path, gone=body_document(gone)), answer)


def deleted(deleted_id: object) -> dict[str, object]:
    return {"status": "deleted", "id": deleted_id}


def body_document(content: Any) -> Any:
    """The JSON of a body. Of a model, only the members that were set."""
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
    """A body with the members that are not ``None``."""
    return {name: value for name, value in members.items() if value is not None}
