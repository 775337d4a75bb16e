"""The migration to snapshots keeps what was published, on a database with rows."""

from __future__ import annotations

import json
from collections.abc import Iterator
from uuid import uuid4

import pytest
from sqlalchemy import Connection, text
from sqlalchemy.exc import DBAPIError

from contracts.agent_config import AgentConfig
from control_plane.building.agents.publishing.snapshot import digest_of, read_snapshot
from control_plane.platform.database import SYSTEM_ROLE
from tests.control_plane.migrations import empty_database, upgrade

CONFIG = AgentConfig(name="Dësk", language="en-GB").model_dump(mode="json", by_alias=True)
ANY_TOOL = [{"type": "call_webhook", "nested": {"anything": [1, None]}}]


@pytest.fixture
def connection(postgres_url: str) -> Iterator[Connection]:
    with empty_database(postgres_url) as connection:
        yield connection


def test_versions_keep_their_content_and_tools_without_a_schema_go(connection: Connection) -> None:
    upgrade(connection, "0007")
    connection.execute(text(f"SET LOCAL ROLE {SYSTEM_ROLE}"))
    ids = {"tenant_id": uuid4(), "agent_id": uuid4(), "call_id": uuid4()}
    document = json.dumps(CONFIG | {"tools": ANY_TOOL})
    plan = json.dumps({"agent": CONFIG | {"tools": ANY_TOOL}, "locale": "en-GB"})
    for statement in (
        "INSERT INTO tenants (id, name) VALUES (:tenant_id, 'x')",
        "INSERT INTO agents (id, tenant_id, name, config, provider_config, compiled_prompt,"
        " published_version) VALUES (:agent_id, :tenant_id, 'x', :document, '{}', 'p', 1)",
        "INSERT INTO agent_versions (agent_id, version, tenant_id, config, provider_config,"
        " compiled_prompt) VALUES (:agent_id, 1, :tenant_id, :document, '{\"mode\": 1.50}', 'p')",
        "INSERT INTO calls (id, tenant_id, agent_id, room_name, status, plan)"
        " VALUES (:call_id, :tenant_id, :agent_id, 'r', 'connecting', :plan)",
    ):
        connection.execute(text(statement), ids | {"document": document, "plan": plan})
    connection.execute(text("RESET ROLE"))

    upgrade(connection, "0008")

    connection.execute(text(f"SET LOCAL ROLE {SYSTEM_ROLE}"))
    agent = connection.execute(text("SELECT config, language, revision FROM agents")).one()
    version = connection.execute(text("SELECT snapshot, digest FROM agent_versions")).one()
    planned = connection.scalar(text("SELECT plan #> '{agent,tools}' FROM calls"))
    assert (agent.config["tools"], agent.language, agent.revision) == ([], "en-GB", 1)
    frozen = read_snapshot(version.snapshot)
    assert frozen.config == CONFIG
    assert (frozen.provider_config, frozen.compiled_prompt) == ({"mode": 1.5}, "p")
    assert frozen.text == version.snapshot
    assert digest_of(version.snapshot) == version.digest
    assert planned == []
    for table in ("agents", "agent_versions", "calls"):
        forced = text("SELECT relforcerowsecurity FROM pg_class WHERE relname = :table")
        assert connection.scalar(forced, {"table": table}) is True
    connection.execute(text("RESET ROLE"))
    connection.execute(text("ALTER TABLE agent_versions NO FORCE ROW LEVEL SECURITY"))
    with pytest.raises(DBAPIError, match="append-only"), connection.begin_nested():
        connection.execute(text("UPDATE agent_versions SET digest = ''"))
