from __future__ import annotations

from tests.control_plane.policies.policy import Access, Policies, Policy

SHOWN_TO_ALL = Policy(Access.MEMBER, names_records=False)
"""The catalogue holds no tenant's records."""

_EDIT = Policy(Access.OPERATOR, 401)

POLICIES: Policies = {
    ("GET", "/v1/agents/llm-options"): SHOWN_TO_ALL,
    ("GET", "/v1/agents/voices"): SHOWN_TO_ALL,
    # There is no key of a provider in the walk.
    ("POST", "/v1/agents/voices/sample"): Policy(
        Access.MEMBER, 409, {"provider": "openai", "id": "alloy"}
    ),
    ("GET", "/v1/managed-skus"): SHOWN_TO_ALL,
    ("POST", "/v1/agents/stack-preview"): Policy(
        Access.MEMBER, body={"supported_languages": ["en-US"]}
    ),
    ("POST", "/v1/agents/{agent_id}/apply-managed-sku"): Policy(
        Access.MEMBER, 404, {"managed_sku_id": "offline-english", "language": "en-US"}
    ),
    ("POST", "/v1/agents/{agent_id}/opt-out-to-custom"): Policy(Access.MEMBER, 404),
    ("GET", "/v1/operator/catalogue/models"): _EDIT,
    ("PUT", "/v1/operator/catalogue/models"): _EDIT,
    ("PATCH", "/v1/operator/catalogue/models"): _EDIT,
    ("GET", "/v1/operator/catalogue/voices"): _EDIT,
    ("PUT", "/v1/operator/catalogue/voices"): _EDIT,
    ("PATCH", "/v1/operator/catalogue/voices"): _EDIT,
    ("GET", "/v1/operator/catalogue/skus"): _EDIT,
    ("PUT", "/v1/operator/catalogue/skus"): _EDIT,
    ("PATCH", "/v1/operator/catalogue/skus"): _EDIT,
    ("GET", "/v1/operator/catalogue/prices"): _EDIT,
    ("POST", "/v1/operator/catalogue/prices"): _EDIT,
    ("GET", "/v1/operator/catalogue/unit-prices"): _EDIT,
    ("POST", "/v1/operator/catalogue/unit-prices"): Policy(
        Access.OPERATOR,
        401,
        {
            "channel": "stt",
            "provider": "deepgram",
            "model": "nova-3",
            "micros_per": {"audio_minute": 7_000},
        },
    ),
}
