"""A schema that was checked lately is not checked again."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterator, Mapping
from typing import Any, TypeVar
from uuid import uuid4

import pytest

from control_plane.platform.json_schemas import checked_schemas
from control_plane.platform.json_schemas.checked_schemas import CheckedSchemas
from schema_sandbox.sandbox import SchemaSandbox

T = TypeVar("T")
TENANT = uuid4()
FINE: Mapping[str, Any] = {"type": "object"}
BROKEN: Mapping[str, Any] = {"type": "tooth"}


class CountingSandbox(SchemaSandbox):
    checks = 0

    async def run(self, check: Callable[[], T]) -> T:
        self.checks += 1
        return await super().run(check)


@pytest.fixture
def sandbox() -> Iterator[CountingSandbox]:
    made = CountingSandbox()
    yield made
    made.close()


async def test_the_same_schema_at_once_is_checked_once(sandbox: CountingSandbox) -> None:
    checked = CheckedSchemas(sandbox)
    found = await asyncio.gather(*(checked.first_fault(TENANT, {"a": FINE}) for _ in range(10)))
    assert found == [None] * 10
    assert sandbox.checks == 1
    assert await checked.first_fault(uuid4(), {"another field": FINE}) is None
    assert sandbox.checks == 1


async def test_a_fault_is_remembered_under_the_name_that_is_asked_for(
    sandbox: CountingSandbox,
) -> None:
    checked = CheckedSchemas(sandbox)
    fault = await checked.first_fault(TENANT, {"a": FINE, "b": BROKEN})
    assert fault is not None
    assert fault[0] == "b"
    assert await checked.first_fault(TENANT, {"c": BROKEN, "a": FINE}) == ("c", fault[1])
    assert sandbox.checks == 1


async def test_a_fault_is_forgotten_soon(
    sandbox: CountingSandbox, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(checked_schemas, "FAULT_SECONDS", 0.0)
    checked = CheckedSchemas(sandbox)
    for _ in range(2):
        assert await checked.first_fault(TENANT, {"a": BROKEN}) is not None
    assert sandbox.checks == 2
