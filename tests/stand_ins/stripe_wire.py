"""A server that speaks the part of Stripe's API that takes payments, with hosted pages and signed
events::

    async with StripeWire(secret_key="sk_test", webhook_secret="whsec").serving() as stripe:
        settings = settings.model_copy(update={"stripe_base_url": stripe.base_url, …})

Source: Stripe's API reference. Bodies are forms, ids have prefixes, and an ``Idempotency-Key``
gets the first answer again, a 500 as well.
"""

from __future__ import annotations

import asyncio
import contextlib
import hashlib
import hmac
import html
import itertools
import json
import re
import time
from collections.abc import AsyncIterator, Coroutine, Iterable
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import parse_qsl

from aiohttp import web

from tests.stand_ins.payment_outcomes import ChargeOutcome, EventPost, Outcomes, Reporting

_Object = dict[str, Any]
_CARD = {"brand": "visa", "last4": "4242", "country": "DE", "exp_month": 12, "exp_year": 2040}
_DECLINES: dict[str, tuple[str, str, str]] = {
    "declines": ("card_declined", "insufficient_funds", "Your card has insufficient funds."),
    "needs_authentication": (
        "authentication_required",
        "authentication_required",
        "Your card was declined. This transaction requires authentication.",
    ),
    "expired_card": ("expired_card", "expired_card", "Your card has expired."),
}
_ASKED = web.RequestKey("asked", dict)
_WORDS = re.compile(r"[^\[\]]+")


def form_document(pairs: list[tuple[str, str]]) -> _Object:
    """``line_items[0][quantity]=1`` → ``{"line_items": {"0": {"quantity": "1"}}}``."""
    document: _Object = {}
    for name, value in pairs:
        *path, last = _WORDS.findall(name)
        place = document
        for part in path:
            place = place.setdefault(part, {})
        place[last] = value
    return document


@dataclass
class StripeWire:
    secret_key: str = "sk_test_of_the_tests"
    webhook_secret: str = "whsec_of_the_tests"
    charges: Outcomes = field(default_factory=Outcomes)
    """Of charges of saved methods."""
    reporting: Reporting = "after"
    """Of what happens on the hosted page, and of refunds."""
    port: int = 0
    base_url: str = ""
    customers: dict[str, _Object] = field(default_factory=dict)
    sessions: dict[str, _Object] = field(default_factory=dict)
    intents: dict[str, _Object] = field(default_factory=dict)
    requests: list[tuple[str, str]] = field(default_factory=list)
    """Method and path."""
    gone: set[str] = field(default_factory=set)
    """Customers whose payments cannot be listed, as those of another account."""
    detached: list[str] = field(default_factory=list)
    refunds: dict[str, _Object] = field(default_factory=dict)
    disputes: dict[str, _Object] = field(default_factory=dict)
    charging: int = 0
    most_charging_at_once: int = 0
    fails_everything: bool = False
    hangs_up: bool = False
    """Whether a hang is a connection that ends at once without an answer, for which nobody waits
    until a deadline."""
    listing_seconds: float = 0.0
    """How long each page of a list takes."""

    def __post_init__(self) -> None:
        self._numbers = itertools.count(1)
        self._answers: dict[str, tuple[_Object, int, _Object]] = {}
        self._stopping = asyncio.Event()
        self._tasks: set[asyncio.Task[None]] = set()
        self.events = EventPost(self._signature)
        self.released = asyncio.Event()
        """Set it to let the charges that wait for it go on."""
        self.waits_before_charging = False

    @property
    def refunded_minor(self) -> int:
        return sum(
            refund["amount"] for refund in self.refunds.values() if refund["status"] == "succeeded"
        )

    @property
    def captured_minor(self) -> int:
        """The money that it has taken."""
        return sum(
            intent["amount"] for intent in self.intents.values() if intent["status"] == "succeeded"
        )

    @contextlib.asynccontextmanager
    async def serving(self) -> AsyncIterator[StripeWire]:
        """Listens on 127.0.0.1 at ``base_url``."""
        app = web.Application(middlewares=[self._guard])
        app.router.add_post("/v1/customers", self._create_customer)
        app.router.add_post("/v1/checkout/sessions", self._create_session)
        app.router.add_get("/v1/checkout/sessions", self._list_sessions)
        app.router.add_get("/v1/checkout/sessions/{id}", self._get_session)
        app.router.add_post("/v1/payment_intents", self._create_intent)
        app.router.add_get("/v1/payment_intents", self._list_intents)
        app.router.add_get("/v1/charges", self._list_charges)
        app.router.add_get("/v1/refunds", self._list_refunds)
        app.router.add_get("/v1/disputes", self._list_disputes)
        app.router.add_post("/v1/payment_methods/{id}/detach", self._detach)
        app.router.add_get("/pay/{id}", self._page)
        app.router.add_post("/pay/{id}/{act}", self._act)
        runner = web.AppRunner(app, shutdown_timeout=0.1)
        await runner.setup()
        try:
            await web.TCPSite(runner, "127.0.0.1", self.port).start()
            self.base_url = f"http://127.0.0.1:{runner.addresses[0][1]}"
            yield self
        finally:
            self._stopping.set()
            await runner.cleanup()

    def forget(self) -> None:
        """As if nobody had ever asked it for anything."""
        for kept in (self.customers, self.sessions, self.intents, self.refunds, self.disputes):
            kept.clear()
        self.events.sent.clear()

    async def customer_pays(self, session_id: str) -> None:
        """Somebody pays on the hosted page."""
        session = self.sessions[session_id]
        intent = self._new_intent(
            int(session["amount_total"]),
            session["customer"],
            self._id("pm"),
            session["payment_intent_data"]["metadata"],
        )
        intent["currency"] = session["currency"]
        intent["setup_future_usage"] = session["payment_intent_data"].get("setup_future_usage")
        self._capture(intent)
        session.update(payment_intent=intent["id"], payment_status="paid", status="complete")
        await self._report("charge.succeeded", intent["latest_charge"], self.reporting)
        await self._report("payment_intent.succeeded", _bare(intent), self.reporting)
        await self._report("checkout.session.completed", session, self.reporting)

    async def expire(self, session_id: str) -> None:
        self.sessions[session_id]["status"] = "expired"
        await self._report("checkout.session.expired", self.sessions[session_id], self.reporting)

    async def refund(self, intent_id: str, amount: int, *, status: str = "succeeded") -> _Object:
        refund: _Object = {
            "id": self._id("re"),
            "object": "refund",
            "amount": amount,
            "created": int(time.time()),
            "currency": "usd",
            "payment_intent": intent_id,
            "status": status,
        }
        self.refunds[refund["id"]] = refund
        await self._report("refund.created", refund, self.reporting)
        return refund

    async def fail_refund(self, refund: _Object) -> None:
        refund["status"] = "failed"
        await self._report("refund.failed", refund, self.reporting)

    async def dispute(self, intent_id: str) -> _Object:
        dispute: _Object = {
            "id": self._id("du"),
            "object": "dispute",
            "amount": self.intents[intent_id]["amount"],
            "created": int(time.time()),
            "currency": "usd",
            "payment_intent": intent_id,
            "status": "needs_response",
        }
        self.disputes[dispute["id"]] = dispute
        await self._report("charge.dispute.funds_withdrawn", dispute, self.reporting)
        return dispute

    async def win(self, dispute: _Object) -> None:
        dispute["status"] = "won"
        await self._report("charge.dispute.funds_reinstated", dispute, self.reporting)

    async def lose(self, dispute: _Object, *, returned: int) -> None:
        """The bank decides against us, and returns what was refunded before. The bookings are in
        another currency."""
        booked = (-2 * dispute["amount"], 2 * returned)
        dispute["status"] = "lost"
        dispute["balance_transactions"] = [{"amount": amount} for amount in booked]
        await self._report("charge.dispute.funds_reinstated", dispute, self.reporting)

    def event(self, kind: str, of: _Object) -> tuple[str, _Object]:
        event_id = self._id("evt")
        return event_id, {
            "id": event_id,
            "object": "event",
            "api_version": "2026-01-28.clover",
            "created": int(time.time()),
            "type": kind,
            "data": {"object": of},
            "livemode": False,
        }

    def _signature(self, body: bytes, _event_id: str) -> dict[str, str]:
        now = int(time.time())
        text = f"{now}.".encode() + body
        digest = hmac.new(self.webhook_secret.encode(), text, hashlib.sha256).hexdigest()
        return {"Stripe-Signature": f"t={now},v1={digest}", "Content-Type": "application/json"}

    async def _report(self, kind: str, of: _Object, how: Reporting) -> None:
        event_id, event = self.event(kind, of)
        await self.events.report(event_id, event, how)

    @web.middleware
    async def _guard(self, request: web.Request, handler: Any) -> web.StreamResponse:
        self.requests.append((request.method, request.path))
        if request.path.startswith("/pay/"):
            response: web.StreamResponse = await handler(request)
            return response
        if request.headers.get("Authorization") != f"Bearer {self.secret_key}":
            return _error(401, "invalid_request_error", "Invalid API Key provided")
        if self.fails_everything:
            return _error(500, "api_error", "An unknown error occurred")
        key = request.headers.get("Idempotency-Key")
        asked = form_document(parse_qsl(await request.text(), keep_blank_values=True))
        request[_ASKED] = asked
        if key is not None and key in self._answers:
            before, status, document = self._answers[key]
            if before != asked:
                return _error(
                    400,
                    "idempotency_error",
                    "Keys for idempotent requests can only be used with the same parameters",
                )
            return web.json_response(document, status=status)
        response = await handler(request)
        if key is not None and isinstance(response, web.Response) and response.status != 429:
            assert response.text is not None
            self._answers[key] = (asked, response.status, json.loads(response.text))
        return response

    async def _create_customer(self, request: web.Request) -> web.Response:
        customer = {"id": self._id("cus"), "object": "customer", **request[_ASKED]}
        self.customers[customer["id"]] = customer
        return web.json_response(customer)

    async def _create_session(self, request: web.Request) -> web.Response:
        asked = request[_ASKED]
        if "customer" in asked and asked["customer"] not in self.customers:
            return _no_such_customer()
        items = asked["line_items"].values()
        session = {
            "id": self._id("cs"),
            "object": "checkout.session",
            "amount_total": sum(
                int(item["quantity"]) * int(item["price_data"]["unit_amount"]) for item in items
            ),
            "created": int(time.time()),
            "currency": asked["line_items"]["0"]["price_data"]["currency"],
            "customer": asked.get("customer"),
            "client_reference_id": asked["client_reference_id"],
            "metadata": asked["metadata"],
            "mode": asked["mode"],
            "payment_intent": None,
            "payment_intent_data": asked["payment_intent_data"],
            "payment_status": "unpaid",
            "status": "open",
            "success_url": asked["success_url"],
            "cancel_url": asked["cancel_url"],
        }
        session["url"] = f"{self.base_url}/pay/{session['id']}"
        self.sessions[session["id"]] = session
        return web.json_response(session)

    async def _get_session(self, request: web.Request) -> web.Response:
        session = self.sessions.get(request.match_info["id"])
        if session is None:
            return _error(404, "invalid_request_error", "No such checkout.session")
        intent = self.intents.get(session["payment_intent"] or "")
        return web.json_response(session | ({"payment_intent": intent} if intent else {}))

    async def _list_sessions(self, request: web.Request) -> web.Response:
        return await self._list(
            request,
            [each for each in self.sessions.values() if _is_of(each, request)],
        )

    async def _list_intents(self, request: web.Request) -> web.Response:
        if request.query["customer"] in self.gone:
            return _no_such_customer()
        return await self._list(
            request,
            [each for each in self.intents.values() if _is_of(each, request)],
        )

    async def _list_charges(self, request: web.Request) -> web.Response:
        charges = [intent["latest_charge"] for intent in self.intents.values()]
        return await self._list(request, _since(filter(None, charges), request))

    async def _list_refunds(self, request: web.Request) -> web.Response:
        return await self._list(request, _since(self.refunds.values(), request))

    async def _list_disputes(self, request: web.Request) -> web.Response:
        return await self._list(request, _since(self.disputes.values(), request))

    async def _list(self, request: web.Request, rows: list[_Object]) -> web.Response:
        """A page of them, the newest first."""
        await asyncio.sleep(self.listing_seconds)
        newest_first = rows[::-1]
        after = request.query.get("starting_after")
        begins = next((n for n, row in enumerate(newest_first, 1) if row["id"] == after), 0)
        ends = begins + int(request.query.get("limit", "10"))
        return web.json_response(
            {
                "object": "list",
                "url": request.path,
                "has_more": ends < len(newest_first),
                "data": newest_first[begins:ends],
            }
        )

    async def _create_intent(self, request: web.Request) -> web.Response:
        """A saved method is charged."""
        asked = request[_ASKED]
        outcome = self.charges.next()
        self.charging += 1
        self.most_charging_at_once = max(self.most_charging_at_once, self.charging)
        try:
            if self.waits_before_charging:
                await self.released.wait()
            await asyncio.sleep(outcome.delay_seconds)
            if outcome.kind == "fails_before_charging":
                return _error(500, "api_error", "An unknown error occurred")
            if outcome.kind == "hangs_before_charging":
                await self._hang(request)
            intent = self._new_intent(
                int(asked["amount"]), asked["customer"], asked["payment_method"], asked["metadata"]
            )
            if outcome.charges:
                self._capture(intent)
                return await self._answer_captured(request, intent, outcome)
            return await self._answer_declined(intent, outcome)
        finally:
            self.charging -= 1

    async def _answer_captured(
        self, request: web.Request, intent: _Object, outcome: ChargeOutcome
    ) -> web.Response:
        how = outcome.reporting
        reporting = self._report("payment_intent.succeeded", _bare(intent), how)
        if how in ("before", "twice"):
            await reporting
        else:
            self._later(reporting)
        if outcome.kind == "hangs_after_charging":
            await self._hang(request)
        if outcome.kind == "fails_after_charging":
            return _error(500, "api_error", "An unknown error occurred")
        return web.json_response(_bare(intent))

    async def _answer_declined(self, intent: _Object, outcome: ChargeOutcome) -> web.Response:
        code, decline_code, message = _DECLINES[outcome.kind]
        error = {
            "type": "card_error",
            "code": code,
            "decline_code": decline_code,
            "message": message,
        }
        intent.update(status="requires_payment_method", last_payment_error=error)
        how = outcome.reporting
        reporting = self._report("payment_intent.payment_failed", _bare(intent), how)
        if how == "before":
            await reporting
        else:
            self._later(reporting)
        answer = {"error": error | {"payment_intent": _bare(intent)}}
        return web.json_response(answer, status=402)

    async def _detach(self, request: web.Request) -> web.Response:
        self.detached.append(request.match_info["id"])
        return web.json_response({"id": request.match_info["id"], "object": "payment_method"})

    async def _page(self, request: web.Request) -> web.Response:
        session = self.sessions[request.match_info["id"]]
        amount = f"{int(session['amount_total']) / 100:.2f}"
        address = html.escape(f"/pay/{session['id']}")
        buttons = "".join(
            f'<form method="post" action="{address}/{act}"><button>{words}</button></form>'
            for act, words in (("pay", f"Pay ${amount}"), ("cancel", "Go back"))
        )
        return web.Response(
            text=f"<!doctype html><title>Checkout</title><h1>Pay ${amount}</h1>{buttons}",
            content_type="text/html",
        )

    async def _act(self, request: web.Request) -> web.Response:
        session = self.sessions[request.match_info["id"]]
        if request.match_info["act"] == "pay":
            await self.customer_pays(session["id"])
            raise web.HTTPSeeOther(session["success_url"])
        raise web.HTTPSeeOther(session["cancel_url"])

    def _new_intent(
        self, amount: int, customer: str | None, method: str, metadata: _Object
    ) -> _Object:
        intent: _Object = {
            "id": self._id("pi"),
            "object": "payment_intent",
            "amount": amount,
            "amount_received": 0,
            "created": int(time.time()),
            "currency": "usd",
            "customer": customer,
            "last_payment_error": None,
            "latest_charge": None,
            "metadata": metadata,
            "payment_method": method,
            "setup_future_usage": None,
            "status": "processing",
        }
        self.intents[intent["id"]] = intent
        return intent

    def _capture(self, intent: _Object) -> None:
        intent.update(status="succeeded", amount_received=intent["amount"])
        intent["latest_charge"] = {
            "id": self._id("ch"),
            "object": "charge",
            "created": int(time.time()),
            "amount": intent["amount"],
            "amount_captured": intent["amount"],
            "captured": True,
            "currency": intent["currency"],
            "customer": intent["customer"],
            "metadata": intent["metadata"],
            "payment_intent": intent["id"],
            "payment_method": intent["payment_method"],
            "payment_method_details": {"type": "card", "card": _CARD},
            "status": "succeeded",
        }

    def _id(self, prefix: str) -> str:
        return f"{prefix}_test{next(self._numbers):06d}"

    def _later(self, reporting: Coroutine[Any, Any, None]) -> None:
        self._tasks.add(asyncio.get_running_loop().create_task(reporting))

    async def reported(self) -> None:
        """Returns when the events of all charges so far are delivered."""
        await asyncio.gather(*self._tasks)

    async def _hang(self, request: web.Request) -> None:
        if not self.hangs_up:
            await self._stopping.wait()
        elif request.transport is not None:
            request.transport.abort()
        raise web.HTTPServiceUnavailable


def _bare(intent: _Object) -> _Object:
    """As events and answers hold it: the charge is not expanded."""
    charge = intent["latest_charge"]
    return intent | {"latest_charge": None if charge is None else charge["id"]}


def _is_of(document: _Object, request: web.Request) -> bool:
    since = int(request.query.get("created[gte]", "0"))
    return document["customer"] == request.query["customer"] and document["created"] >= since


def _since(documents: Iterable[_Object], request: web.Request) -> list[_Object]:
    since = int(request.query.get("created[gte]", "0"))
    return [document for document in documents if document["created"] >= since]


def _no_such_customer() -> web.Response:
    problem = {"code": "resource_missing", "param": "customer"}
    return _error(400, "invalid_request_error", "No such customer", **problem)


def _error(status: int, kind: str, message: str, **more: str) -> web.Response:
    return web.json_response({"error": {"type": kind, "message": message, **more}}, status=status)
