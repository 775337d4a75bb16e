"""Tenants take turns at having their JSON Schemas checked."""

from __future__ import annotations

import asyncio
from uuid import UUID, uuid4

import pytest

from control_plane.platform.json_schemas.turns import NoTurn, Turns

LOUD, QUIET = uuid4(), uuid4()


async def settle() -> None:
    for _ in range(5):
        await asyncio.sleep(0)


class Checks:
    """Checks that take turns, and end when they are told to."""

    def __init__(self, turns: Turns) -> None:
        self._turns = turns
        self.begun: list[tuple[UUID, asyncio.Event]] = []

    def start(self, tenant_id: UUID) -> asyncio.Task[None]:
        return asyncio.create_task(self._check(tenant_id))

    async def end_all(self) -> None:
        ended = 0
        while ended < len(self.begun):
            self.begun[ended][1].set()
            ended += 1
            await settle()

    async def _check(self, tenant_id: UUID) -> None:
        async with self._turns.turn(tenant_id):
            may_end = asyncio.Event()
            self.begun.append((tenant_id, may_end))
            await may_end.wait()


async def test_a_tenant_with_many_checks_does_not_keep_another_waiting() -> None:
    checks = Checks(Turns())
    tasks = [checks.start(LOUD) for _ in range(4)]
    await settle()
    tasks.append(checks.start(QUIET))
    await settle()
    assert [tenant_id for tenant_id, _ in checks.begun] == [LOUD]
    await checks.end_all()
    await asyncio.gather(*tasks)
    assert [tenant_id for tenant_id, _ in checks.begun] == [LOUD, LOUD, QUIET, LOUD, LOUD]


async def test_a_tenant_s_checks_wait_up_to_its_limit() -> None:
    turns = Turns(most_of_tenant=3)
    checks = Checks(turns)
    tasks = [checks.start(LOUD) for _ in range(3)]
    await settle()
    with pytest.raises(NoTurn, match="At most 3 ") as refused:
        async with turns.turn(LOUD):
            pass
    assert (refused.value.policy, refused.value.limit, refused.value.used) == (
        "schemas_of_tenant",
        3,
        3,
    )
    tasks.append(checks.start(QUIET))
    await settle()
    await checks.end_all()
    await asyncio.gather(*tasks)
    async with turns.turn(LOUD):
        pass


async def test_nobody_waits_longer_than_for_a_turn() -> None:
    turns = Turns(wait_seconds=0.0)
    async with turns.turn(LOUD):
        with pytest.raises(NoTurn) as refused:
            async with turns.turn(QUIET):
                pass
    assert refused.value.policy == "schema_wait"
    async with turns.turn(QUIET):
        pass


async def test_a_turn_that_comes_too_late_goes_to_the_next() -> None:
    turns = Turns()
    checks = Checks(turns)
    async with turns.turn(LOUD):
        second, third, fourth = (checks.start(LOUD) for _ in range(3))
        await settle()
        second.cancel()
        await settle()
    # The third has been given its turn, and has not noticed yet.
    third.cancel()
    await settle()
    assert second.cancelled()
    assert third.cancelled()
    assert len(checks.begun) == 1
    await checks.end_all()
    await fourth
