from __future__ import annotations

from uuid import UUID

from control_plane.building.agents.models import AgentVersion
from control_plane.building.agents.publishing.snapshot import Snapshot, digest_of
from control_plane.platform.database import Database
from tests.control_plane.conftest import TenantClient
from tests.control_plane.policies.policy import (
    FOREIGN_IS_404,
    OWN_RECORDS,
    Access,
    Policies,
    Policy,
)

FOREIGN_IS_403 = Policy(Access.MEMBER, refused_with=403)
VERSION = 918_273_645
"""A number that is in no answer by chance."""

POLICIES: Policies = {
    ("POST", "/v1/agents"): Policy(Access.MEMBER, body={"name": "Mine"}),
    ("POST", "/v1/agents/draft"): Policy(Access.MEMBER, body={"name": "Mine"}),
    ("POST", "/v1/agents/apply-changes"): Policy(Access.MEMBER, body={"changes": []}),
    ("GET", "/v1/agents"): OWN_RECORDS,
    ("GET", "/v1/agents/{agent_id}"): FOREIGN_IS_404,
    ("PUT", "/v1/agents/{agent_id}"): Policy(Access.MEMBER, 404, {"name": "Mine"}),
    ("PATCH", "/v1/agents/{agent_id}"): Policy(Access.MEMBER, 404, {"name": "Mine"}),
    ("POST", "/v1/agents/{agent_id}/clone"): FOREIGN_IS_403,
    ("GET", "/v1/agents/{agent_id}/calls"): FOREIGN_IS_403,
    ("GET", "/v1/agents/{agent_id}/card"): Policy(Access.ANY_KEY, 404),
    ("GET", "/v1/agents/{agent_id}/tool-capabilities"): FOREIGN_IS_404,
    ("GET", "/v1/agents/{agent_id}/versions"): FOREIGN_IS_404,
    ("GET", "/v1/agents/{agent_id}/versions/{version}"): FOREIGN_IS_404,
    ("GET", "/v1/agents/{agent_id}/versions/{before}/diff/{after}"): FOREIGN_IS_404,
    ("POST", "/v1/agents/{agent_id}/versions/{version}/roll-back"): FOREIGN_IS_404,
    ("DELETE", "/v1/agents/{agent_id}"): FOREIGN_IS_404,
}


async def leave_records(
    tenant: TenantClient, database: Database, ids: dict[str, UUID]
) -> dict[str, object]:
    agent = (await tenant.get(f"/v1/agents/{ids['agent_id']}")).json()
    config = {
        name: value
        for name, value in agent.items()
        if name not in ("id", "published_version", "created_at", "updated_at")
    }
    provider_config, prompt = config.pop("provider_config"), config.pop("compiled_prompt")
    text = Snapshot(config, provider_config, prompt).text
    async with database.tenant_session(tenant.tenant_id) as session:
        session.add(
            AgentVersion(
                agent_id=ids["agent_id"],
                version=VERSION,
                tenant_id=tenant.tenant_id,
                snapshot=text,
                digest=digest_of(text),
            )
        )
    return {"version": VERSION, "before": VERSION, "after": VERSION}
