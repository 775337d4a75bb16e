"""Walks every field of every JSON body in the OpenAPI document: JSON types are never coerced."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import pytest
from fastapi import FastAPI

from control_plane.platform.database import Database
from tests.control_plane.conftest import OPERATOR, TenantClient
from tests.control_plane.dashboard import dashboard_client
from tests.control_plane.policies.every_route import POLICIES
from tests.control_plane.policies.policy import Access
from tests.control_plane.walking import Victim, victim_of

Schema = Mapping[str, Any]

WRONG: dict[str, tuple[Any, ...]] = {
    "number": ("45", True),
    "integer": ("45", True, 4.5),
    "boolean": (1, "true"),
    "string": (5, True),
    "date-time": (1_700_000_000,),
}
"""By the type (or format) of a field: values of another type that look as if they would do."""


@dataclass(frozen=True)
class JsonField:
    """One field somewhere in a body. ``parts`` are names of members and indices (always 0)."""

    parts: tuple[str | int, ...]
    kind: str
    is_required: bool
    beside: tuple[tuple[tuple[str | int, ...], Any], ...]
    """What has to stand elsewhere in the body, so that this field is looked at."""

    @property
    def path(self) -> str:
        path = ""
        for part in self.parts:
            path += f"[{part}]" if isinstance(part, int) else f".{part}" if path else part
        return path

    def body(self, value: Any) -> dict[str, Any]:
        body: dict[str, Any] = {}
        for parts, given in (*self.beside, (self.parts, value)):
            _put(body, parts, given)
        return body


def _put(body: Any, parts: tuple[str | int, ...], value: Any) -> None:
    for part, following in pairwise(parts):
        empty: Any = [] if isinstance(following, int) else {}
        if isinstance(part, int):
            if len(body) <= part:
                body.append(empty)
            body = body[part]
        else:
            body = body.setdefault(part, empty)
    if isinstance(parts[-1], int):
        body.append(value)
    else:
        body[parts[-1]] = value


class Document:
    def __init__(self, document: Schema) -> None:
        self._document = document

    def fields(self, method: str, path: str) -> Iterator[JsonField]:
        operation = self._document["paths"].get(path, {}).get(method.lower(), {})
        content = operation.get("requestBody", {}).get("content", {})
        schema = content.get("application/json", {}).get("schema")
        # Enriching always answers 200 (API spec, "Agents" under Endpoints).
        if schema is not None and path != "/v1/agents/enrich-company":
            yield from self._below(schema, (), (), is_required=True)

    def _below(
        self,
        schema: Schema,
        parts: tuple[str | int, ...],
        beside: tuple[tuple[tuple[str | int, ...], Any], ...],
        *,
        is_required: bool,
    ) -> Iterator[JsonField]:
        schema = self._resolved(schema)
        if "const" in schema or "enum" in schema or schema.get("readOnly"):
            return
        alternatives = [
            one
            for one in map(self._resolved, schema.get("anyOf") or schema.get("oneOf") or ())
            if one.get("type") != "null"
        ]
        if "discriminator" in schema:
            name = schema["discriminator"]["propertyName"]
            for one in alternatives:
                told = ((*parts, name), one["properties"][name]["const"])
                yield from self._below(one, parts, (*beside, told), is_required=is_required)
            return
        if alternatives:
            if len(alternatives) == 1:
                yield from self._below(alternatives[0], parts, beside, is_required=is_required)
            return
        kind = schema.get("format") if schema.get("format") in WRONG else schema.get("type")
        if parts and isinstance(kind, str) and (kind in WRONG or kind == "object"):
            yield JsonField(parts, kind, is_required, beside)
        if kind == "array":
            yield from self._below(schema["items"], (*parts, 0), beside, is_required=False)
        for name, inner in schema.get("properties", {}).items():
            required = name in schema.get("required", ())
            yield from self._below(inner, (*parts, name), beside, is_required=required)

    def _resolved(self, schema: Schema) -> Schema:
        while "$ref" in schema:
            name = schema["$ref"].rpartition("/")[2]
            schema = self._document["components"]["schemas"][name]
        return schema


@pytest.fixture
async def records(app: FastAPI, tenant: TenantClient, database: Database) -> Victim:
    return await victim_of(app, tenant, database)


class Client:
    """Sends bodies to any route, with the credentials that the route asks for."""

    def __init__(self, records: Victim, database: Database) -> None:
        self._records = records
        self._database = database
        self._session: dict[str, str] | None = None

    async def faults(self, method: str, path: str, body: Any) -> tuple[int, set[str]]:
        """The status, and the fields that the answer names."""
        policy = POLICIES[method, path]
        address = path.format(**self._records.ids) + policy.query.format(**self._records.ids)
        headers = await self._headers(policy.access)
        answer = await self._records.client.http.request(
            method, address, headers=headers, json=body
        )
        found = answer.json() if answer.content else {}
        return answer.status_code, {error["field"] for error in found.get("errors", ())}

    async def _headers(self, access: Access) -> Mapping[str, str]:
        match access:
            case Access.OPERATOR:
                return OPERATOR
            case Access.EVERYONE:
                return {}
            case Access.SESSION:
                if self._session is None:
                    visitor = await dashboard_client(self._records.client, self._database, "owner")
                    self._session = dict(visitor.headers)
                return self._session
            case _:
                return self._records.client.headers


def _routes(app: FastAPI) -> Iterator[tuple[str, str, list[JsonField]]]:
    document = Document(app.openapi())
    for method, path in POLICIES:
        fields = list(document.fields(method, path))
        if fields:
            yield method, path, fields


async def test_a_value_of_another_json_type_is_400_and_names_the_field(
    app: FastAPI, records: Victim, database: Database
) -> None:
    client = Client(records, database)
    wrong: list[str] = []
    tried = 0
    for method, path, fields in _routes(app):
        for field in fields:
            for value in WRONG.get(field.kind, ()):
                status, named = await client.faults(method, path, field.body(value))
                tried += 1
                if status != 400 or field.path not in named:
                    seen = f"{status} {sorted(named)}"
                    wrong.append(f"{method} {path} {field.path} {value!r}: {seen}")
    assert not wrong, "\n".join(wrong)
    assert tried > 300, "the walk found too few fields to have seen the whole document"


async def test_null_is_allowed_where_an_object_has_a_default(
    app: FastAPI, records: Victim, database: Database
) -> None:
    client = Client(records, database)
    wrong: list[str] = []
    tried = 0
    for method, path, fields in _routes(app):
        for field in fields:
            if field.kind != "object" or field.is_required or isinstance(field.parts[-1], int):
                continue
            # The unknown field has the request refused, so that nothing is created.
            body = field.body(None) | {"no_such_field": 1}
            status, named = await client.faults(method, path, body)
            tried += 1
            if status != 400 or "no_such_field" not in named or field.path in named:
                wrong.append(f"{method} {path} {field.path} null: {status} {sorted(named)}")
    assert not wrong, "\n".join(wrong)
    assert tried > 20, "the walk found too few objects to have seen the whole document"
