"""Stripe: cards on Stripe's own pages, charged again through its API."""

from __future__ import annotations

import asyncio
import hashlib
import importlib
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from datetime import datetime
from typing import TYPE_CHECKING, Any, Literal

import structlog

from control_plane.money.payments.gateways.fields import MissingField
from control_plane.money.payments.gateways.gateway import (
    BegunOrder,
    CheckoutWishes,
    Customer,
    Declined,
    GatewayFact,
    GatewayRefused,
    GatewayUnclear,
    Order,
    PaymentReport,
    ReversalReport,
    UnknownCustomer,
)
from control_plane.money.payments.gateways.stripe_events import (
    captured_charge,
    dispute_report,
    intent_report,
    refund_report,
    session_report,
)
from control_plane.platform.settings import GatewayName, PaymentSettings

if TYPE_CHECKING:
    import stripe

CURRENCY = "usd"
_LOOK_BACK_SECONDS = 600
"""The gateway's clock and ours may differ."""
_MOST_LISTED = 100
_log = structlog.get_logger(__name__)


class StripeGateway:
    """A ``PaymentGateway``. Its client is made when it is first needed: importing the SDK takes
    most of a second."""

    name: GatewayName = "stripe"

    def __init__(self, settings: PaymentSettings) -> None:
        self._settings = settings
        self._client: stripe.StripeClient | None = None
        self._http: stripe.AIOHTTPClient | None = None

    async def make_customer(self, customer: Customer, *, instead_of: str | None) -> str:
        # With the same key Stripe would answer with the customer that is gone.
        instead = "" if instead_of is None else f"-instead-of-{instead_of}"
        # A key must come with the same fields each time.
        said = hashlib.sha256(f"{customer.name}\n{customer.email}".encode()).hexdigest()[:16]
        async with self._asking() as client:
            made = await client.v1.customers.create_async(
                {
                    "name": customer.name,
                    "metadata": {"tenant_id": str(customer.tenant_id)},
                    **({"email": customer.email} if customer.email else {}),
                },
                {"idempotency_key": f"customer-{customer.tenant_id}-{said}{instead}"},
            )
            return made.id

    async def begin_checkout(self, order: Order, wishes: CheckoutWishes) -> BegunOrder:
        metadata = {"payment_id": str(order.payment_id)}
        intent: dict[str, Any] = {"metadata": metadata}
        if wishes.save_card:
            intent["setup_future_usage"] = "off_session"
        wanted: dict[str, Any] = {
            "mode": "payment",
            "client_reference_id": str(order.payment_id),
            "metadata": metadata,
            "payment_intent_data": intent,
            "line_items": [
                {
                    "quantity": 1,
                    "price_data": {
                        "currency": CURRENCY,
                        "unit_amount": order.total_minor,
                        "product_data": {"name": order.description},
                    },
                }
            ],
            "success_url": wishes.success_url,
            "cancel_url": wishes.cancel_url,
        }
        if order.customer_id is not None:
            wanted["customer"] = order.customer_id
        async with self._asking() as client:
            session = await client.v1.checkout.sessions.create_async(
                wanted,  # type: ignore[arg-type]
                {"idempotency_key": f"checkout-{order.payment_id}-{order.customer_id}"},
            )
            return BegunOrder(session.id, {"checkout_url": session.url, "session_id": session.id})

    async def charge(self, order: Order, token: str, customer: Customer) -> PaymentReport:
        wanted: dict[str, Any] = {
            "amount": order.total_minor,
            "currency": CURRENCY,
            "customer": order.customer_id,
            "payment_method": token,
            "off_session": True,
            "confirm": True,
            "description": order.description,
            "metadata": {"payment_id": str(order.payment_id)},
        }
        async with self._asking() as client:
            import stripe

            try:
                intent = await client.v1.payment_intents.create_async(
                    wanted,  # type: ignore[arg-type]
                    {"idempotency_key": f"charge-{order.payment_id}"},
                )
            except stripe.CardError as error:
                return _declined(error)
            return intent_report(intent.to_dict())

    async def find(self, order: Order) -> PaymentReport | None:
        since = int(order.created_at.timestamp()) - _LOOK_BACK_SECONDS
        reference = str(order.payment_id)
        async with self._asking() as client:
            if order.order_id is not None:
                session = await client.v1.checkout.sessions.retrieve_async(
                    order.order_id, {"expand": ["payment_intent.latest_charge"]}
                )
                return session_report(session.to_dict())
            if order.customer_id is None:
                return None
            intents = await client.v1.payment_intents.list_async(
                {
                    "customer": order.customer_id,
                    "created": {"gte": since},
                    "limit": _MOST_LISTED,
                    "expand": ["data.latest_charge"],
                }
            )
            async for intent in intents.auto_paging_iter():
                found = intent.to_dict()
                if found.get("metadata", {}).get("payment_id") == reference:
                    return intent_report(found)
            sessions = await client.v1.checkout.sessions.list_async(
                {
                    "customer": order.customer_id,
                    "created": {"gte": since},
                    "limit": _MOST_LISTED,
                }
            )
            async for session in sessions.auto_paging_iter():
                if session.client_reference_id == reference:
                    return session_report(session.to_dict())
        return None

    async def reversals(self, since: datetime) -> list[ReversalReport]:
        refunds = await self._list("refunds", since)
        disputes = await self._list("disputes", since)
        try:
            reports = [*map(refund_report, refunds), *map(dispute_report, disputes)]
        except MissingField as error:
            raise GatewayUnclear("MissingField") from error
        return [report for report in reports if report is not None]

    async def captures(self, since: datetime) -> list[GatewayFact]:
        charges = await self._list("charges", since)
        try:
            facts = [captured_charge(charge) for charge in charges]
        except MissingField as error:
            raise GatewayUnclear("MissingField") from error
        return [fact for fact in facts if fact is not None]

    async def detach(self, token: str, customer_id: str | None) -> None:
        async with self._asking() as client:
            await client.v1.payment_methods.detach_async(token)

    async def aclose(self) -> None:
        if self._http is not None:
            await self._http.close_async()  # type: ignore[no-untyped-call]

    async def _list(
        self, kind: Literal["charges", "refunds", "disputes"], since: datetime
    ) -> list[dict[str, Any]]:
        """All that were created at ``since`` or later. Each page has the time of a request."""
        found: list[dict[str, Any]] = []
        page: dict[str, Any] = {
            "created": {"gte": int(since.timestamp())},
            "limit": _MOST_LISTED,
        }
        while True:
            async with self._asking() as client:
                listed = await getattr(client.v1, kind).list_async(page)
            found += [each.to_dict() for each in listed.data]
            if not listed.has_more or not listed.data:
                return found
            page["starting_after"] = found[-1]["id"]

    @asynccontextmanager
    async def _asking(self) -> AsyncIterator[stripe.StripeClient]:
        """The client; what it raises is told in our words."""
        client = await self._connected()
        import stripe

        try:
            async with asyncio.timeout(self._settings.gateway_timeout_seconds):
                yield client
        except (stripe.APIConnectionError, stripe.RateLimitError, stripe.IdempotencyError) as error:
            raise GatewayUnclear(type(error).__name__) from error
        except (stripe.InvalidRequestError, stripe.CardError) as error:
            is_customer = isinstance(error, stripe.InvalidRequestError) and (
                (error.code, error.param) == ("resource_missing", "customer")
            )
            refusal = UnknownCustomer if is_customer else GatewayRefused
            raise refusal(error.code or "refused", error.user_message or "") from error
        # A key that Stripe does not take is among these: the customer's card was not declined.
        except (stripe.StripeError, TimeoutError, MissingField) as error:
            raise GatewayUnclear(type(error).__name__) from error

    async def _connected(self) -> stripe.StripeClient:
        if self._client is None:
            await asyncio.to_thread(importlib.import_module, "stripe")
            import stripe

            key = self._settings.stripe_secret_key
            assert key is not None, "only a configured gateway is asked"
            base = self._settings.stripe_base_url
            self._http = stripe.AIOHTTPClient(timeout=self._settings.gateway_timeout_seconds)
            self._client = stripe.StripeClient(
                key,
                http_client=self._http,
                # Whoever asks repeats the request, with the same key.
                max_network_retries=0,
                base_addresses={"api": base} if base else {},
            )
        return self._client


def _declined(error: stripe.CardError) -> Declined:
    """``authentication_required`` means that the bank wants to ask the customer (3-D Secure)."""
    told = error.error
    decline = getattr(told, "decline_code", None) if told is not None else None
    intent = getattr(told, "payment_intent", None) if told is not None else None
    intent_id = intent.get("id") if isinstance(intent, dict) else getattr(intent, "id", None)
    return Declined(
        error.code
        if error.code == "authentication_required"
        else decline or error.code or "declined",
        error.user_message or "The card was declined.",
        intent_id,
    )
