"""An agent's configuration as it is sent: flat keys stand for fields, other keys for nothing."""

from __future__ import annotations

import time

import pytest

from control_plane.building.agents.documents import own_fields
from tests.control_plane.conftest import TenantClient


def test_a_flat_key_becomes_its_field() -> None:
    assert own_fields({"opener": "Hello.", "persona.name": "Ada", "name": "Desk"}) == {
        "playbook": {"opener": "Hello."},
        "persona": {"name": "Ada"},
        "name": "Desk",
    }


def test_a_key_with_dots_that_is_no_field_stays_as_it_is() -> None:
    assert own_fields({"persona.nothing": 1, "a.a.a": 2}) == {"persona.nothing": 1, "a.a.a": 2}


@pytest.mark.parametrize("path", ["/v1/agents/{agent}", "/v1/agents/validate-publish"])
async def test_a_path_of_a_thousand_dots_is_an_unknown_field(
    tenant: TenantClient, path: str
) -> None:
    key, agent = "a" + ".a" * 1_500, await tenant.agent()
    method = "PATCH" if "{agent}" in path else "POST"
    body = {key: 1} | ({} if "{agent}" in path else {"name": "x"})
    answer = await tenant.request(method, path.replace("{agent}", str(agent)), json=body)
    assert answer.status_code == 400
    assert answer.json()["errors"][0]["field"].startswith("a.a")


def test_many_keys_take_no_longer_than_their_number() -> None:
    began_at = time.thread_time()
    own_fields({f"persona.x{number}": number for number in range(20_000)})
    assert time.thread_time() - began_at < 0.5
