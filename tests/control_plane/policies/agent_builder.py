from __future__ import annotations

from tests.control_plane.policies.policy import Access, Policies, Policy

POLICIES: Policies = {
    ("POST", "/v1/agents/generate"): Policy(
        Access.MEMBER, body={"prompt": "Books appointments for a clinic"}
    ),
    ("POST", "/v1/agents/draft-field"): Policy(Access.MEMBER, body={"field": "playbook.opener"}),
    ("POST", "/v1/agents/chat/answer"): Policy(
        Access.MEMBER, body={"question": "How do I hand over to a person?"}
    ),
    ("POST", "/v1/agents/enrich-company"): Policy(
        Access.MEMBER, body={"companyName": "Bella Napoli", "websiteUrl": "http://127.0.0.1/"}
    ),
}
