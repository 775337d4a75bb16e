"""Walks every route that changes something: it takes an ``Idempotency-Key``, or says why not."""

from __future__ import annotations

from collections.abc import Mapping
from uuid import uuid4

import pytest
from fastapi import FastAPI

from control_plane.platform.database import Database
from tests.control_plane.conftest import OPERATOR, TenantClient
from tests.control_plane.policies.every_route import POLICIES
from tests.control_plane.policies.policy import Access
from tests.control_plane.walking import Victim, routes_of, victim_of

_SAVES_NOTHING = "computes an answer and saves nothing"
_SETS = "sets a state: a second time nothing changes"
_TOKEN = "its token works once"
_OWN_ID = "each event has an id of its own, and counts once"

WITHOUT_KEY: Mapping[tuple[str, str], str] = {
    ("POST", "/v1/agents/apply-changes"): _SAVES_NOTHING,
    ("POST", "/v1/agents/compile-prompt"): _SAVES_NOTHING,
    ("POST", "/v1/agents/stack-preview"): _SAVES_NOTHING,
    ("POST", "/v1/agents/validate-publish"): _SAVES_NOTHING,
    ("POST", "/v1/agents/voices/sample"): "saves nothing; a sound is no JSON that could be kept",
    ("PUT", "/v1/agents/{agent_id}"): _SETS,
    ("PUT", "/v1/agents/{agent_id}/share-link"): _SETS,
    ("POST", "/v1/agents/{agent_id}/apply-managed-sku"): _SETS,
    ("POST", "/v1/agents/{agent_id}/opt-out-to-custom"): _SETS,
    ("POST", "/v1/agents/{agent_id}/knowledge-sources/search"): _SAVES_NOTHING,
    ("POST", "/v1/auth/confirm-email"): _SETS,
    ("POST", "/v1/auth/login"): "each login is a session of its own; a lost one ends by itself",
    ("POST", "/v1/auth/logout"): _SETS,
    ("POST", "/v1/auth/password-reset"): "mails three times in a quarter of an hour at most, and "
    "tells a stranger nothing",
    ("POST", "/v1/auth/password-reset/confirm"): _TOKEN,
    ("POST", "/v1/auth/switch-tenant"): _SETS,
    ("PUT", "/v1/billing/alerts"): _SETS,
    ("POST", "/v1/billing/estimate"): _SAVES_NOTHING,
    ("PUT", "/v1/billing/extra-usage"): _SETS,
    (
        "POST",
        "/v1/billing/spend-alerts/{alert_id}/acknowledge",
    ): "the specification answers a second time with 404",
    ("POST", "/v1/calls/batch/{batch_id}/cancel"): _SETS,
    ("POST", "/v1/calls/{call_id}/end"): _SETS,
    ("PUT", "/v1/calls/{call_id}/feedback"): _SETS,
    ("POST", "/console/payments"): "leads back to the page and saves nothing",
    ("POST", "/mail-choices"): _SETS,
    ("POST", "/v1/gateways/razorpay/events"): _OWN_ID,
    ("POST", "/v1/gateways/stripe/events"): _OWN_ID,
    ("POST", "/v1/invitations/accept"): _TOKEN,
    ("PUT", "/v1/notifications/phone"): "each code replaces the one before, and there are five an "
    "hour",
    ("PUT", "/v1/notifications/phone/confirmation"): _TOKEN,
    ("PUT", "/v1/notifications/preferences"): _SETS,
    ("PUT", "/v1/notifications/preferences/me"): _SETS,
    ("PUT", "/v1/notifications/read-all"): _SETS,
    ("PUT", "/v1/notifications/settings"): _SETS,
    ("PUT", "/v1/notifications/{notification_id}/read"): _SETS,
    ("POST", "/v1/carriers/{carrier_id}/verify"): _SETS,
    ("POST", "/v1/numbers/{number}/detach"): _SETS,
    ("POST", "/v1/numbers/{number}/webhook"): _SETS,
    ("PUT", "/v1/phone-settings"): _SETS,
    ("PUT", "/v1/operator/carriers/{provider}"): _SETS,
    ("POST", "/v1/operator/carriers/{provider}/verify"): _SETS,
    ("PUT", "/v1/me/password"): "takes the current password, which works once",
    ("POST", "/v1/operator/agents/{agent_id}/pause"): _SETS,
    ("POST", "/v1/operator/parked-events/{parked_event_id}/discard"): _SETS,
    ("POST", "/v1/operator/parked-events/{parked_event_id}/retry"): _SETS,
    ("PUT", "/v1/operator/catalogue/models"): _SETS,
    ("PUT", "/v1/operator/catalogue/skus"): _SETS,
    ("PUT", "/v1/operator/catalogue/voices"): _SETS,
    ("PUT", "/v1/operator/platform"): _SETS,
    ("PUT", "/v1/operator/tenants/{tenant_id}/payment-profile"): _SETS,
    ("POST", "/v1/shared/{share_token}/calls"): "visitors have no key; the link counts their calls",
    ("POST", "/v1/shared/{share_token}/minutes-request"): _SETS,
    ("POST", "/v1/shared/{share_token}/paid-calls"): "a tester is in one call at a time",
    (
        "POST",
        "/v1/rtc/{call_id}",
    ): "a participant has one connection at a time",
}
"""Every other POST and PUT creates or spends something, and takes the key."""

REFUSED = {
    ("POST", "/v1/agents/{agent_id}/knowledge-sources/upload"): "the form is missing",
    (
        "POST",
        "/v1/agents/{agent_id}/knowledge-sources/{source_id}/refresh",
    ): "the source is a text",
    ("POST", "/v1/auth/sign-up"): "the password is too short",
    ("POST", "/v1/billing/checkout/start"): "no gateway is configured",
    ("POST", "/v1/billing/mandate/register"): "no gateway is configured",
    ("POST", "/v1/calls/batch"): "no carrier is connected",
    ("POST", "/v1/carriers"): "the credentials lack a token",
    ("POST", "/v1/calls/{call_id}/reprocess"): "the call is not over",
    ("POST", "/v1/agents/{agent_id}/testers/{tester_id}/resend"): "it was mailed a moment ago",
    ("POST", "/v1/invitations/{invitation_id}/resend"): "it was mailed a moment ago",
    ("POST", "/v1/operator/catalogue/prices"): "the body is missing",
}
"""Routes whose requests in this walk are refused. They leave no key."""


@pytest.fixture
async def owner(app: FastAPI, tenant: TenantClient, database: Database) -> Victim:
    return await victim_of(app, tenant, database)


def with_key(app: FastAPI) -> set[tuple[str, str]]:
    return {
        (method.upper(), path)
        for path, operations in app.openapi()["paths"].items()
        for method, operation in operations.items()
        if any(each["name"] == "Idempotency-Key" for each in operation.get("parameters", ()))
    }


def test_what_creates_or_spends_takes_a_key(app: FastAPI) -> None:
    changing = {route for route in routes_of(app) if route[0] in ("POST", "PUT")}
    assert changing - with_key(app) == WITHOUT_KEY.keys()
    assert not with_key(app) & WITHOUT_KEY.keys()


async def test_a_repeated_request_gets_the_same_response(owner: Victim, app: FastAPI) -> None:
    wrong, refused = {}, set()
    for method, path in sorted(with_key(app)):
        by_operator = POLICIES[method, path].access is Access.OPERATOR
        headers = OPERATOR if by_operator else owner.client.headers
        headers = headers | {"Idempotency-Key": uuid4().hex}
        first, again = [await owner.visit(method, path, headers) for _ in range(2)]
        if first.is_success:
            is_replay = again.headers.get("Idempotency-Replayed") == "true"
            if not is_replay or again.content != first.content:
                wrong[method, path] = (first.text, again.text)
        else:
            refused.add((method, path))
            if again.status_code != first.status_code:
                wrong[method, path] = (first.text, again.text)
    assert wrong == {}
    assert refused == REFUSED.keys()
