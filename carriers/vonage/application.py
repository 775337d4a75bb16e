"""What we change of a Vonage application. A change replaces the whole, so the rest is kept. Pure.

Source: https://developer.vonage.com/en/api/application.v2
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from carriers.api import WebhookAddresses
from carriers.json_message import find_row, id_of, member

_READ_ONLY = frozenset({"id", "_links"})


def find_application(rows: object, name: str) -> str | None:
    """The id of the application with exactly this name."""
    return id_of(find_row(rows, "name", name))


def updated_application(
    application: Mapping[str, Any], webhooks: WebhookAddresses, public_key: str | None
) -> dict[str, Any]:
    """
    Args:
        public_key: replaces the application's own in PEM; ``None`` keeps it.
    """
    capabilities = dict(member(application, "capabilities"))
    voice = dict(member(capabilities, "voice"))
    own_webhooks = dict(member(voice, "webhooks"))
    own_webhooks["answer_url"] = {"address": webhooks.voice_url, "http_method": "POST"}
    own_webhooks["event_url"] = {"address": webhooks.status_url, "http_method": "POST"}
    # It would be asked about calls that we refused.
    own_webhooks.pop("fallback_answer_url", None)
    capabilities["voice"] = {**voice, "webhooks": own_webhooks, "signed_callbacks": True}
    document = {key: value for key, value in application.items() if key not in _READ_ONLY}
    document["capabilities"] = capabilities
    if public_key is not None:
        document["keys"] = {"public_key": public_key}
    return document
