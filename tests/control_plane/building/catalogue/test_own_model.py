"""A model of the operator's own server, as ``switchboard catalogue add-model`` adds it."""

from __future__ import annotations

from control_plane.platform.settings import ControlPlaneSettings
from tests.control_plane.conftest import OPERATOR, TenantClient
from tests.control_plane.provider_keys import api_with_keys

OWN = {
    "provider": "openai_compatible",
    "provider_name": "Ollama",
    "model": "llama3.2",
    "label": "llama3.2",
    "channels": ["llm"],
    "languages": ["*"],
    "modality": "text",
    "rank": 1,
    "prices_micros_per_minute": {"llm": 0},
}
AGENT = {"name": "Nora", "system_prompt": "Take bookings for the restaurant Blue Harbor."}


async def test_agents_that_name_no_model_use_it_where_the_server_has_an_address(
    tenant: TenantClient, settings: ControlPlaneSettings
) -> None:
    path = "/v1/operator/catalogue/models"
    added = await tenant.http.request("PUT", path, headers=OPERATOR, json=OWN)
    assert added.status_code == 200, added.text
    async with api_with_keys(tenant, settings, "openai_compatible") as http:
        options = (await http.get("/v1/agents/llm-options")).json()
        [model] = [each for each in options["models"] if each["model_id"] == "llama3.2"]
        assert (model["available"], model["cost_per_min"]) == (True, 0)
        created = (await http.post("/v1/agents", json=AGENT)).json()
        agent = (await http.get(f"/v1/agents/{created['id']}")).json()
        assert '"openai_compatible"' in str(agent["provider_config"]).replace("'", '"')
        published = await http.post(f"/v1/agents/{created['id']}/publish")
        assert published.status_code == 200, published.text
    options = (await tenant.get("/v1/agents/llm-options")).json()
    [model] = [each for each in options["models"] if each["model_id"] == "llama3.2"]
    assert model["available"] is False
