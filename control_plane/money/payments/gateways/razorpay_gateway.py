"""Razorpay: cards and UPI in India. Its SDK blocks, so it runs in threads.

Razorpay knows no idempotency keys. An order is found by its receipt, which is our payment's id, and
can be paid only once; so an order that is there is never made again.
"""

from __future__ import annotations

import asyncio
import re
import unicodedata
from collections.abc import Callable
from datetime import datetime
from functools import partial
from http import HTTPStatus
from typing import TYPE_CHECKING, Any, Literal

from control_plane.money.payments.gateways.fields import MissingField
from control_plane.money.payments.gateways.gateway import (
    BegunOrder,
    Captured,
    CheckoutWishes,
    Customer,
    Declined,
    GatewayFact,
    GatewayRefused,
    GatewayUnclear,
    MandateWishes,
    Order,
    PaymentReport,
    ReversalReport,
    Waiting,
)
from control_plane.money.payments.gateways.razorpay_events import (
    dispute_report,
    payment_fact,
    refund_report,
    report_of_order,
)
from control_plane.platform.settings import GatewayName, PaymentSettings

if TYPE_CHECKING:
    import razorpay
    import requests

CURRENCY = "INR"
_MOST_LISTED = 100
_SHORTEST_NAME, _LONGEST_NAME = 3, 50
_NOT_IN_NAMES = re.compile(r"[^A-Za-z0-9.'/@()]+")
_TURNED_AWAY = (HTTPStatus.UNAUTHORIZED, HTTPStatus.FORBIDDEN, HTTPStatus.TOO_MANY_REQUESTS)
_Question = Callable[["razorpay.Client", dict[str, Any]], dict[str, Any]]
"""Asks a client something, with the options that every request has."""


class RazorpayGateway:
    """A ``MandateGateway``."""

    name: GatewayName = "razorpay"

    def __init__(self, settings: PaymentSettings) -> None:
        self._settings = settings

    async def make_customer(self, customer: Customer, *, instead_of: str | None) -> str:
        wanted = {
            "name": _accepted_name(customer.name),
            "contact": customer.phone,
            "email": customer.email,
            # The customer that has this contact and address already, if there is one.
            "fail_existing": "0",
            "notes": {"tenant_id": str(customer.tenant_id)},
        }
        wanted = {name: value for name, value in wanted.items() if value is not None}
        made = await self._ask(lambda client, options: client.customer.create(wanted, **options))
        return str(made["id"])

    async def begin_checkout(self, order: Order, wishes: CheckoutWishes) -> BegunOrder:
        return await self._begin(order, {})

    async def begin_mandate(self, order: Order, wishes: MandateWishes) -> BegunOrder:
        details: dict[str, Any] = {
            "customer_id": order.customer_id,
            "token": {"max_amount": wishes.max_amount_minor, "frequency": "as_presented"},
        }
        if wishes.method is not None:
            details["method"] = wishes.method
        return await self._begin(order, details)

    async def charge(self, order: Order, token: str, customer: Customer) -> PaymentReport:
        begun = await self._begin(order, {})
        wanted = {
            "amount": order.total_minor,
            "currency": CURRENCY,
            "order_id": begun.order_id,
            "customer_id": order.customer_id,
            "token": token,
            "recurring": "1",
            "description": order.description,
            "email": customer.email or "",
            "contact": customer.phone or "",
            "notes": {"payment_id": str(order.payment_id)},
        }
        try:
            made = await self._ask(
                lambda client, options: client.payment.createRecurring(wanted, **options)
            )
        except GatewayRefused as refused:
            return Declined(refused.code, refused.message)
        payment_id = made.get("razorpay_payment_id")
        return Waiting(payment_id if isinstance(payment_id, str) else None)

    async def find(self, order: Order) -> PaymentReport | None:
        order_id = order.order_id
        if order_id is None:
            known = await self._order_of(order)
            if known is None:
                return None
            order_id = str(known["id"])
        found = await self._ask(lambda client, options: client.order.payments(order_id, **options))
        try:
            return report_of_order(found.get("items", [])) or Waiting()
        except MissingField as error:
            raise GatewayUnclear("Razorpay's payment lacks a field") from error

    async def reversals(self, since: datetime) -> list[ReversalReport]:
        refunds = await self._list("refund", since)
        disputes = await self._list("dispute", since)
        try:
            reports = [*map(refund_report, refunds), *map(dispute_report, disputes)]
        except MissingField as error:
            raise GatewayUnclear("Razorpay's list lacks a field") from error
        return [report for report in reports if report is not None]

    async def captures(self, since: datetime) -> list[GatewayFact]:
        payments = await self._list("payment", since)
        try:
            facts = [payment_fact(payment) for payment in payments]
        except MissingField as error:
            raise GatewayUnclear("Razorpay's list lacks a field") from error
        return [fact for fact in facts if isinstance(fact.report, Captured)]

    async def detach(self, token: str, customer_id: str | None) -> None:
        await self._ask(lambda client, options: client.token.delete(customer_id, token, **options))

    async def aclose(self) -> None:
        """Nothing is kept open."""

    async def _begin(self, order: Order, details: dict[str, Any]) -> BegunOrder:
        made = await self._order_of(order)
        if made is None:
            wanted = {
                "amount": order.total_minor,
                "currency": CURRENCY,
                "receipt": str(order.payment_id),
                "payment_capture": 1,
                "notes": {"payment_id": str(order.payment_id)},
                **details,
            }
            made = await self._ask(lambda client, options: client.order.create(wanted, **options))
        order_id = str(made["id"])
        return BegunOrder(
            order_id,
            {
                "order_id": order_id,
                "key_id": self._settings.razorpay_key_id,
                "amount": order.total_minor,
                "currency": CURRENCY,
                "customer_id": order.customer_id,
            },
        )

    async def _order_of(self, order: Order) -> dict[str, Any] | None:
        receipt = {"receipt": str(order.payment_id)}
        found = await self._ask(lambda client, options: client.order.all(receipt, **options))
        items = found.get("items") or []
        return items[0] if items else None

    async def _list(
        self, kind: Literal["payment", "refund", "dispute"], since: datetime
    ) -> list[dict[str, Any]]:
        """All that were created at ``since`` or later."""
        found: list[dict[str, Any]] = []
        while True:
            page = {"from": int(since.timestamp()), "count": _MOST_LISTED, "skip": len(found)}
            listed = await self._ask(partial(_page_of, kind, page))
            items = listed.get("items") or []
            found += items
            if len(items) < _MOST_LISTED:
                return found

    async def _ask(self, question: _Question) -> dict[str, Any]:
        """
        Raises:
            GatewayRefused: Razorpay says that the request is wrong, or that the bank declined it.
            GatewayUnclear: nobody knows whether it has acted.
        """
        answer = await asyncio.to_thread(self._ask_in_thread, question)
        if not isinstance(answer, dict):
            raise GatewayUnclear("Razorpay's answer is no object")
        return answer

    def _ask_in_thread(self, question: _Question) -> object:
        import razorpay
        import razorpay.errors
        import requests

        key = (self._settings.razorpay_key_id, self._settings.razorpay_key_secret)
        base = self._settings.razorpay_base_url
        with requests.Session() as session:
            session.hooks["response"].append(_check_is_let_in)
            client = razorpay.Client(
                session=session, auth=key, **({"base_url": base} if base else {})
            )
            try:
                return question(client, {"timeout": self._settings.gateway_timeout_seconds})
            except razorpay.errors.BadRequestError as error:
                raise GatewayRefused("refused", str(error)) from error
            except (
                razorpay.errors.GatewayError,
                razorpay.errors.ServerError,
                requests.RequestException,
                # The SDK expects a JSON object whatever the server sends.
                ValueError,
                AttributeError,
                TypeError,
            ) as error:
                raise GatewayUnclear(type(error).__name__) from error


def _accepted_name(name: str) -> str | None:
    """What Razorpay takes of a customer's name; ``None``: too little, and it needs none.

    Source: Razorpay, "Create a Customer".
    """
    decomposed = unicodedata.normalize("NFKD", name)
    letters = "".join(each for each in decomposed if not unicodedata.combining(each))
    accepted = _NOT_IN_NAMES.sub(" ", letters).strip()[:_LONGEST_NAME].strip()
    return accepted if len(accepted) >= _SHORTEST_NAME else None


def _check_is_let_in(response: requests.Response, **_: object) -> None:
    """The SDK tells a wrong key, and too many requests, as if the request were wrong.

    Raises:
        GatewayUnclear: Razorpay has not looked at the request.
    """
    if response.status_code in _TURNED_AWAY:
        raise GatewayUnclear(f"HTTP {response.status_code}")


def _page_of(
    kind: str, page: dict[str, int], client: razorpay.Client, options: dict[str, Any]
) -> dict[str, Any]:
    found: dict[str, Any] = getattr(client, kind).all(page, **options)
    return found
