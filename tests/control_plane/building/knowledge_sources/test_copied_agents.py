"""A copy of an agent knows what the agent knows."""

from __future__ import annotations

from uuid import UUID

from control_plane.platform.database import Database
from control_plane.platform.settings import ControlPlaneSettings
from tests.control_plane.building.knowledge_sources.ingesting import Sources
from tests.control_plane.building.knowledge_sources.quotas import limit_plan


async def test_a_copy_has_passages_of_its_own(
    sources: Sources, database: Database, settings: ControlPlaneSettings
) -> None:
    tenant = sources.tenant
    ready = await sources.add_text("Pets", "Pets are welcome for 15 euros a night.")
    waiting = {"kind": "text", "title": "Food", "text": "Breakfast is served from seven to ten."}
    await tenant.post(sources.path, waiting)
    answer = await tenant.post(f"/v1/agents/{sources.agent_id}/clone")
    copy = Sources(tenant, UUID(answer.json()["id"]), database, settings)
    await tenant.request("DELETE", f"{sources.path}/{ready}")
    await copy.ingest_waiting()
    await sources.delete_old_bundles(ready)
    listed = (await tenant.get(copy.path)).json()["sources"]
    assert {(each["title"], each["status"], each["chunk_count"]) for each in listed} == {
        ("Pets", "ready", 1),
        ("Food", "ready", 1),
    }
    first, *_ = await copy.search("Can I bring my dog?")
    assert "15 euros" in first["text"]


async def test_a_copy_whose_sources_exceed_a_quota_is_not_made(
    sources: Sources, database: Database
) -> None:
    await sources.add_text("Pets", "Pets are welcome.")
    await limit_plan(database, knowledge_sources_max=1)
    answer = await sources.tenant.post(f"/v1/agents/{sources.agent_id}/clone")
    assert answer.status_code == 429
    assert answer.json()["code"] == "quota_exceeded.knowledge_sources_max"
    assert (await sources.tenant.get("/v1/agents")).json()["total"] == 1
