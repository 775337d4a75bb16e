"""A server that speaks the part of Razorpay's API that takes payments, with signed events.

Source: Razorpay's API reference. Bodies are JSON, the login is HTTP Basic, amounts are paise. There
are no idempotency keys; an order is paid at most once.
"""

from __future__ import annotations

import asyncio
import base64
import contextlib
import hashlib
import hmac
import itertools
import re
import time
from collections.abc import AsyncIterator, Iterable
from dataclasses import dataclass, field
from typing import Any

from aiohttp import web

from tests.stand_ins.payment_outcomes import EventPost, Outcomes, Reporting
from tests.stand_ins.razorpay_checkout import PATH as CHECKOUT
from tests.stand_ins.razorpay_checkout import add_hosted_checkout

_Object = dict[str, Any]
_NAME = re.compile(r"[A-Za-z0-9 .'/@()]{3,50}")
_CARD = {"network": "Visa", "last4": "1111", "country": "IN"}


@dataclass
class RazorpayWire:
    key_id: str = "rzp_test_of_the_tests"
    key_secret: str = "secret_of_the_tests"
    webhook_secret: str = "webhook_secret_of_the_tests"
    charges: Outcomes = field(default_factory=Outcomes)
    """Of charges of mandates."""
    reporting: Reporting = "after"
    base_url: str = ""
    customers: dict[str, _Object] = field(default_factory=dict)
    orders: dict[str, _Object] = field(default_factory=dict)
    payments: dict[str, _Object] = field(default_factory=dict)
    refunds: dict[str, _Object] = field(default_factory=dict)
    disputes: dict[str, _Object] = field(default_factory=dict)
    deleted_tokens: list[tuple[str, str]] = field(default_factory=list)
    hangs_up: bool = False
    """Whether a hang is a connection that ends at once without an answer, for which nobody waits
    until a deadline."""

    def __post_init__(self) -> None:
        self._numbers = itertools.count(1)
        self._stopping = asyncio.Event()
        self._tasks: set[asyncio.Task[None]] = set()
        self.events = EventPost(self._signature)

    @property
    def refunded_minor(self) -> int:
        return sum(
            refund["amount"] for refund in self.refunds.values() if refund["status"] == "processed"
        )

    @property
    def captured_minor(self) -> int:
        return sum(
            payment["amount"]
            for payment in self.payments.values()
            if payment["status"] == "captured"
        )

    @contextlib.asynccontextmanager
    async def serving(self) -> AsyncIterator[RazorpayWire]:
        """Listens on 127.0.0.1 at ``base_url``."""
        app = web.Application(middlewares=[self._guard])
        add_hosted_checkout(app, self.key_id, self.orders, self.customer_pays)
        app.router.add_post("/v1/customers", self._create_customer)
        app.router.add_post("/v1/orders", self._create_order)
        app.router.add_get("/v1/orders", self._list_orders)
        app.router.add_get("/v1/orders/{id}/payments", self._list_payments)
        app.router.add_get("/v1/payments", self._list_all_payments)
        app.router.add_get("/v1/refunds", self._list_refunds)
        app.router.add_get("/v1/disputes", self._list_disputes)
        app.router.add_post("/v1/payments/create/recurring", self._charge)
        app.router.add_delete("/v1/customers/{customer}/tokens/{token}", self._delete_token)
        runner = web.AppRunner(app, shutdown_timeout=0.1)
        await runner.setup()
        try:
            await web.TCPSite(runner, "127.0.0.1", 0).start()
            self.base_url = f"http://127.0.0.1:{runner.addresses[0][1]}"
            yield self
        finally:
            self._stopping.set()
            await runner.cleanup()

    def forget(self) -> None:
        """As if nobody had ever asked it for anything."""
        for kept in (self.customers, self.orders, self.payments, self.refunds, self.disputes):
            kept.clear()
        self.events.sent.clear()

    async def customer_pays(self, order_id: str) -> _Object:
        """Somebody pays in Razorpay's checkout. If the order asks for a mandate, the bank confirms
        it."""
        order = self.orders[order_id]
        payment = self._new_payment(order)
        token = None
        if "token" in order:
            token = {
                "id": self._id("token"),
                "entity": "token",
                "method": order.get("method", "card"),
                "customer_id": order["customer_id"],
                "max_amount": order["token"]["max_amount"],
                "card": _CARD,
                "recurring_details": {"status": "confirmed"},
            }
            payment["token_id"] = token["id"]
        payment["status"] = "captured"
        order["status"] = "paid"
        await self._report("payment.captured", self.reporting, payment=payment)
        await self._report("order.paid", self.reporting, payment=payment, order=order)
        if token is not None:
            await self._report("token.confirmed", self.reporting, token=token)
        return payment

    async def customer_is_declined(self, order_id: str) -> None:
        """Somebody tries to pay in Razorpay's checkout, and may try again."""
        payment = self._new_payment(self.orders[order_id])
        payment.update(
            status="failed",
            error_code="BAD_REQUEST_ERROR",
            error_reason="payment_failed",
            error_description="Your payment was declined by the bank.",
        )
        await self._report("payment.failed", self.reporting, payment=payment)

    async def refund(self, payment_id: str, amount: int) -> _Object:
        refund: _Object = {
            "id": self._id("rfnd"),
            "entity": "refund",
            "amount": amount,
            "created_at": int(time.time()),
            "payment_id": payment_id,
            "status": "processed",
        }
        self.refunds[refund["id"]] = refund
        await self._report("refund.processed", self.reporting, refund=refund)
        return refund

    async def fail_refund(self, refund: _Object) -> None:
        refund["status"] = "failed"
        await self._report("refund.failed", self.reporting, refund=refund)

    async def dispute(self, payment_id: str) -> _Object:
        """One that the bank decides against us."""
        amount = self.payments[payment_id]["amount"]
        dispute: _Object = {
            "id": self._id("disp"),
            "entity": "dispute",
            "payment_id": payment_id,
            "amount": amount,
            "amount_deducted": amount,
            "created_at": int(time.time()),
            "status": "lost",
        }
        self.disputes[dispute["id"]] = dispute
        await self._report("payment.dispute.lost", self.reporting, dispute=dispute)
        return dispute

    async def win(self, dispute: _Object) -> None:
        """The bank returns the money after all."""
        dispute["status"] = "won"
        await self._report("payment.dispute.won", self.reporting, dispute=dispute)

    async def confirm_token(self, customer_id: str, token_id: str) -> None:
        """The bank confirms a mandate that another shop with this account has begun."""
        token = {
            "id": token_id,
            "entity": "token",
            "method": "card",
            "customer_id": customer_id,
            "card": _CARD,
        }
        await self._report("token.confirmed", self.reporting, token=token)

    async def cancel_token(self, customer_id: str, token_id: str) -> None:
        token = {"id": token_id, "entity": "token", "customer_id": customer_id}
        await self._report("token.cancelled", self.reporting, token=token)

    async def reported(self) -> None:
        """Returns when the events of all charges so far are delivered."""
        await asyncio.gather(*self._tasks)

    def _signature(self, body: bytes, event_id: str) -> dict[str, str]:
        digest = hmac.new(self.webhook_secret.encode(), body, hashlib.sha256).hexdigest()
        return {
            "X-Razorpay-Signature": digest,
            "x-razorpay-event-id": event_id,
            "Content-Type": "application/json",
        }

    async def _report(self, name: str, how: Reporting, **entities: _Object) -> None:
        event = {
            "entity": "event",
            "event": name,
            "contains": list(entities),
            "payload": {kind: {"entity": entity} for kind, entity in entities.items()},
            "created_at": int(time.time()),
        }
        await self.events.report(self._id("evt"), event, how)

    @web.middleware
    async def _guard(self, request: web.Request, handler: Any) -> web.StreamResponse:
        login = base64.b64encode(f"{self.key_id}:{self.key_secret}".encode()).decode()
        is_browser = request.path.startswith(CHECKOUT)
        if not is_browser and request.headers.get("Authorization") != f"Basic {login}":
            return _error(401, "BAD_REQUEST_ERROR", "Authentication failed")
        response: web.StreamResponse = await handler(request)
        return response

    async def _create_customer(self, request: web.Request) -> web.Response:
        asked = await request.json()
        if not _NAME.fullmatch(asked.get("name", "nobody")):
            return _error(400, "BAD_REQUEST_ERROR", "The name format is invalid.")
        contact = asked.get("contact"), asked.get("email")
        for known in self.customers.values():
            if any(contact) and (known.get("contact"), known.get("email")) == contact:
                if asked.get("fail_existing") == "0":
                    return web.json_response(known)
                return _error(400, "BAD_REQUEST_ERROR", "Customer already exists for the merchant")
        customer = {"id": self._id("cust"), "entity": "customer", **asked}
        self.customers[customer["id"]] = customer
        return web.json_response(customer)

    async def _create_order(self, request: web.Request) -> web.Response:
        asked = await request.json()
        if len(asked["receipt"]) > 40:
            return _error(400, "BAD_REQUEST_ERROR", "The receipt may not be greater than 40.")
        order = {"id": self._id("order"), "entity": "order", "status": "created", **asked}
        self.orders[order["id"]] = order
        return web.json_response(order)

    async def _list_orders(self, request: web.Request) -> web.Response:
        receipt = request.query["receipt"]
        found = [order for order in self.orders.values() if order["receipt"] == receipt]
        return _collection(found)

    async def _list_payments(self, request: web.Request) -> web.Response:
        order_id = request.match_info["id"]
        return _collection(
            [each for each in self.payments.values() if each["order_id"] == order_id]
        )

    async def _list_all_payments(self, request: web.Request) -> web.Response:
        return _page(self.payments.values(), request)

    async def _list_refunds(self, request: web.Request) -> web.Response:
        return _page(self.refunds.values(), request)

    async def _list_disputes(self, request: web.Request) -> web.Response:
        return _page(self.disputes.values(), request)

    async def _charge(self, request: web.Request) -> web.Response:
        asked = await request.json()
        order = self.orders[asked["order_id"]]
        if order["status"] == "paid":
            return _error(400, "BAD_REQUEST_ERROR", "Payment already done for this order.")
        outcome = self.charges.next()
        await asyncio.sleep(outcome.delay_seconds)
        if outcome.kind == "fails_before_charging":
            return _error(500, "SERVER_ERROR", "We are facing some trouble")
        if outcome.kind == "hangs_before_charging":
            await self._hang(request)
        payment = self._new_payment(order)
        payment["token_id"] = asked["token"]
        if outcome.charges:
            payment["status"] = "captured"
            order["status"] = "paid"
            reporting = self._report("payment.captured", outcome.reporting, payment=payment)
        else:
            payment.update(
                status="failed",
                error_code="BAD_REQUEST_ERROR",
                error_reason=outcome.kind,
                error_description="Your payment was declined by the bank.",
            )
            reporting = self._report("payment.failed", outcome.reporting, payment=payment)
        if outcome.reporting == "before":
            await reporting
        else:
            task = asyncio.get_running_loop().create_task(reporting)
            self._tasks.add(task)
        if outcome.kind == "hangs_after_charging":
            await self._hang(request)
        if outcome.kind == "fails_after_charging":
            return _error(500, "SERVER_ERROR", "We are facing some trouble")
        return web.json_response(
            {"razorpay_payment_id": payment["id"], "razorpay_order_id": order["id"]}
        )

    async def _delete_token(self, request: web.Request) -> web.Response:
        place = request.match_info
        self.deleted_tokens.append((place["customer"], place["token"]))
        return web.json_response({"deleted": True})

    async def _hang(self, request: web.Request) -> None:
        if not self.hangs_up:
            await self._stopping.wait()
        elif request.transport is not None:
            request.transport.abort()
        raise web.HTTPServiceUnavailable

    def _new_payment(self, order: _Object) -> _Object:
        payment = {
            "id": self._id("pay"),
            "entity": "payment",
            "created_at": int(time.time()),
            "amount": order["amount"],
            "currency": order["currency"],
            "status": "created",
            "order_id": order["id"],
            "method": order.get("method", "card"),
            "card": _CARD,
            "notes": order["notes"],
            "customer_id": order.get("customer_id"),
        }
        self.payments[payment["id"]] = payment
        return payment

    def _id(self, prefix: str) -> str:
        return f"{prefix}_{next(self._numbers):014d}"


def _page(entities: Iterable[_Object], request: web.Request) -> web.Response:
    """Newest first."""
    since, skip = int(request.query["from"]), int(request.query["skip"])
    found = [each for each in entities if each["created_at"] >= since][::-1]
    return _collection(found[skip : skip + int(request.query["count"])])


def _collection(items: list[_Object]) -> web.Response:
    return web.json_response({"entity": "collection", "count": len(items), "items": items})


def _error(status: int, code: str, description: str) -> web.Response:
    return web.json_response({"error": {"code": code, "description": description}}, status=status)
