"""``/v1/numbers`` and ``/v1/phone-settings``. Numbers are E.164, such as ``+14155550100``."""

from __future__ import annotations

from uuid import UUID

from switchboard_client.models import (
    NumberAttached,
    NumberDetached,
    NumberPage,
    NumberRegistered,
    NumberRemoved,
    NumberView,
    NumberWebhook,
    PhoneSettingsView,
    PhoneSettingsWanted,
)
from switchboard_client.operation import Body, Operation, delete, get, post, put
from switchboard_client.paging import Pages, by_offset
from switchboard_client.request import at, query

Id = UUID | str


def register(
    number: str, agent_id: Id | None = None, *, idempotency_key: str | None = None
) -> Operation[NumberRegistered]:
    """``webhook`` tells what came of the carrier's setting, if the number has an agent."""
    body = {"number": number} | ({} if agent_id is None else {"agent_id": str(agent_id)})
    return post("/v1/numbers", NumberRegistered, body).once(idempotency_key)


def page(*, limit: int = 50, offset: int = 0) -> Operation[NumberPage]:
    return get("/v1/numbers", NumberPage, query(limit=limit, offset=offset))


def every() -> Pages[NumberPage, NumberView]:
    """All numbers, oldest first."""
    return by_offset(page(limit=200), lambda page: page.numbers)


def attach(
    number: str, agent_id: Id, *, idempotency_key: str | None = None
) -> Operation[NumberAttached]:
    """Let an agent answer the number."""
    body = {"agent_id": str(agent_id)}
    place = at("/v1/numbers/{}/attach", number)
    return post(place, NumberAttached, body).once(idempotency_key)


def configure_webhook(number: str) -> Operation[NumberWebhook]:
    """Set the carrier's webhook again."""
    return post(at("/v1/numbers/{}/webhook", number), NumberWebhook)


def detach(number: str) -> Operation[NumberDetached]:
    return post(at("/v1/numbers/{}/detach", number), NumberDetached)


def remove(number: str) -> Operation[NumberRemoved]:
    return delete(at("/v1/numbers/{}", number), NumberRemoved)


def settings() -> Operation[PhoneSettingsView]:
    """Where phones may be called, and how much that may cost."""
    return get("/v1/phone-settings", PhoneSettingsView)


def change_settings(settings: PhoneSettingsWanted | Body) -> Operation[PhoneSettingsView]:
    """All of them: one that is left out is taken away."""
    return put("/v1/phone-settings", PhoneSettingsView, settings)
