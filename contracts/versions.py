"""What processes of different releases may send each other, and how a document is read.

During an upgrade, processes of two neighbouring releases run side by side. Every document that one
process leaves for another (in Redis, in a journal, in a column of the database) follows these
rules:

- A document carries its major ``version``. Release N reads what N-1 and N+1 write in the same major
  version.
- Within a major version a release may add fields that have a default. A reader ignores fields that
  it does not know. Our own code cannot build a document with an unknown field.
- A new value is not a new field: an older reader does not know a new event type, command or end
  reason. One release learns to read it, and the next release writes it.
- Removing or renaming a field, or changing what it means, makes a new major version. One release
  learns to read that version, and the next release writes it.
- ``version``, ``call_id``, ``tenant_id`` and an event's ``seq`` keep their names and meanings in
  every major version, so that a reader can always say which call a document belongs to.
- An offer, an event or a journal that cannot be read is not thrown away. The reader leaves it to
  other processes, counts it and logs it. A command, a dial request or a report lives for seconds
  and is sent again or given up by its sender: one that cannot be read is logged and dropped.
- A document is passed on as it was written, never as it was read: reading drops the fields of a
  later release.
"""

from __future__ import annotations

from typing import Any, TypeVar
from uuid import UUID

from pydantic import BaseModel, ConfigDict, ValidationError

Document = TypeVar("Document", bound=BaseModel)

IS_STORED = "is_stored"
"""Key in the validation context of documents that another process wrote. What this release would
refuse to take from a client may stand in them."""
_CONTEXT = {IS_STORED: True}


class _BelongsToCall(BaseModel):
    model_config = ConfigDict(extra="ignore")
    call_id: UUID


def read_json(model: type[Document], document: str | bytes) -> Document:
    """Read a JSON document that another process wrote, ignoring unknown fields.

    Raises:
        ValidationError: it is broken, of another major version, or holds an unknown value.
    """
    return model.model_validate_json(document, extra="ignore", context=_CONTEXT)


def read_object(model: type[Document], value: Any) -> Document:
    """As ``read_json``, of a document that was parsed already, such as a JSONB column."""
    return model.model_validate(value, extra="ignore", context=_CONTEXT)


def call_id_in(document: str | bytes) -> UUID | None:
    """The call that a document belongs to, even if nothing else of it can be read."""
    try:
        return _BelongsToCall.model_validate_json(document).call_id
    except ValidationError:
        return None


def fault(error: ValidationError) -> str:
    """Why a document could not be read, in one line and without its content."""
    first = error.errors(include_url=False, include_input=False)[0]
    return f"{'.'.join(str(part) for part in first['loc'])} {first['msg']}".strip()
