"""Razorpay's hosted checkout: a browser posts an order to it, pays, and is posted back.

Source: Razorpay, "Hosted Checkout".
"""

from __future__ import annotations

import html
from collections.abc import Awaitable, Callable
from typing import Any

from aiohttp import web

PATH = "/v1/checkout/embedded"
_PAY = f"{PATH}/{{id}}/pay"


def add_hosted_checkout(
    app: web.Application,
    key_id: str,
    orders: dict[str, dict[str, Any]],
    pays: Callable[[str], Awaitable[object]],
) -> None:
    """
    Args:
        pays: somebody pays an order.
    """

    async def page(request: web.Request) -> web.Response:
        posted = await request.post()
        order = orders.get(str(posted.get("order_id")))
        if order is None or posted.get("key_id") != key_id:
            return web.Response(status=400, text="There is no such order of this key")
        if ("token" in order) != (posted.get("recurring") == "1"):
            return web.Response(status=400, text="recurring goes with an order for a mandate")
        back = str(posted["callback_url"])
        amount = f"₹{int(order['amount']) / 100:.2f}"
        forms = "".join(
            f'<form method="post" action="{html.escape(action)}"><button>{words}</button></form>'
            for action, words in (
                (
                    f"{_PAY.format(id=order['id'])}?callback_url={back}",
                    f"Pay {amount}",
                ),
                (str(posted["cancel_url"]), "Go back"),
            )
        )
        return web.Response(
            text=f"<!doctype html><title>Razorpay</title><h1>Pay {amount}</h1>{forms}",
            content_type="text/html",
        )

    async def pay(request: web.Request) -> web.Response:
        await pays(request.match_info["id"])
        # The browser posts to the address that this names.
        raise web.HTTPTemporaryRedirect(request.query["callback_url"])

    app.router.add_post(PATH, page)
    app.router.add_post(_PAY, pay)
