"""No endpoint and no tenant holds up another."""

from __future__ import annotations

from uuid import UUID, uuid4

from control_plane.notifying.webhooks.delivering.fairness import (
    SLOTS,
    SLOTS_OF_ENDPOINT,
    SLOTS_OF_FAILING_ENDPOINT,
    SLOTS_OF_TENANT,
    Busy,
    Due,
    chosen,
)


def due(
    tenant: UUID, endpoint: UUID, *, failing: bool = False, dead: bool = False, replay: bool = False
) -> Due:
    return Due(uuid4(), tenant, endpoint, failing or dead, dead, replay)


def test_an_endpoint_has_few_slots_a_failing_one_fewer_and_a_dead_one_has_one() -> None:
    tenant, alive, failing, dead = uuid4(), uuid4(), uuid4(), uuid4()
    wanted = [
        *(due(tenant, alive) for _ in range(50)),
        *(due(tenant, failing, failing=True) for _ in range(50)),
        *(due(tenant, dead, dead=True) for _ in range(50)),
    ]
    busy = Busy()
    begun = [each.webhook_id for each in chosen(wanted, busy)]
    assert begun.count(alive) == SLOTS_OF_ENDPOINT
    assert begun.count(failing) == SLOTS_OF_FAILING_ENDPOINT
    assert begun.count(dead) == 1
    assert set(busy.full_endpoints) == {alive, failing, dead}


def test_tenants_take_turns() -> None:
    loud, quiet = uuid4(), uuid4()
    wanted = [due(loud, uuid4()) for _ in range(300)] + [due(quiet, uuid4()) for _ in range(3)]
    begun = chosen(wanted, Busy())
    assert [each.tenant_id for each in begun[:6]] == [loud, quiet] * 3
    assert [each.tenant_id for each in begun].count(loud) == SLOTS_OF_TENANT


def test_a_tenants_deliveries_keep_their_order() -> None:
    tenant = uuid4()
    wanted = [due(tenant, uuid4()) for _ in range(20)]
    assert chosen(wanted, Busy()) == wanted


def test_slots_come_back() -> None:
    tenants = [uuid4() for _ in range(10)]
    wanted = [due(tenant, uuid4()) for tenant in tenants for _ in range(50)]
    busy = Busy()
    begun = chosen(wanted, busy)
    assert len(begun) == SLOTS
    assert busy.free == 0
    assert chosen(wanted, busy) == []
    for each in begun:
        busy.remove(each)
    assert busy.free == SLOTS
    assert (busy.full_endpoints, busy.full_tenants, busy.slots) == ([], [], {})


def test_a_replay_and_new_events_get_half_of_an_endpoints_slots_each() -> None:
    tenant, endpoint = uuid4(), uuid4()
    waiting = [due(tenant, endpoint, replay=True) for _ in range(50)]
    busy = Busy()
    under_way = chosen(waiting, busy)
    assert len(under_way) == SLOTS_OF_ENDPOINT, "a replay alone takes them all"
    waiting = waiting[SLOTS_OF_ENDPOINT:] + [due(tenant, endpoint) for _ in range(50)]
    for _ in range(20):
        busy.remove(under_way.pop(0))
        [begun] = chosen(waiting, busy)
        waiting.remove(begun)
        under_way.append(begun)
    assert [each.is_replay for each in under_way].count(True) == SLOTS_OF_ENDPOINT // 2
