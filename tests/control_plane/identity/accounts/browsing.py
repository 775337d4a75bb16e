"""A browser in tests: its cookies, and the CSRF token of its last login."""

from __future__ import annotations

import email
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from email.message import EmailMessage
from email.policy import default
from pathlib import Path
from typing import Any, cast

import httpx2
from fastapi import FastAPI

PASSWORD = "correct horse battery"


@dataclass
class Browser:
    http: httpx2.AsyncClient
    headers: dict[str, str] = field(default_factory=dict)

    async def request(self, method: str, path: str, body: object = None) -> httpx2.Response:
        answer = await self.http.request(method, path, headers=self.headers, json=body)
        if answer.is_success and (token := answer.json().get("csrf_token")):
            self.headers["X-CSRF-Token"] = token
        return answer

    async def get(self, path: str) -> httpx2.Response:
        return await self.request("GET", path)

    async def post(self, path: str, body: object = None) -> httpx2.Response:
        return await self.request("POST", path, body)

    async def sign_up(self, **fields: Any) -> httpx2.Response:
        wanted = {"tenant_name": "Bright Smiles", "email": "mia@example.com", "password": PASSWORD}
        return await self.post("/v1/auth/sign-up", wanted | fields)

    async def open_account(self, outbox: Callable[[], list[EmailMessage]], **fields: Any) -> Any:
        """Sign up and confirm the mail address; returns the sign-up's answer."""
        answer = await self.sign_up(**fields)
        assert answer.status_code == 201, answer.text
        confirmed = await self.post("/v1/auth/confirm-email", {"token": token_in(outbox()[-1])})
        assert confirmed.status_code == 200, confirmed.text
        return answer.json()

    async def log_in(self, **fields: Any) -> httpx2.Response:
        wanted = {"email": "mia@example.com", "password": PASSWORD}
        return await self.post("/v1/auth/login", wanted | fields)

    async def me(self) -> dict[str, Any]:
        answer = await self.get("/v1/me")
        assert answer.status_code == 200, answer.text
        return cast(dict[str, Any], answer.json())


@asynccontextmanager
async def a_browser(
    app: FastAPI, *, address: str = "198.51.100.7", base_url: str = "http://switchboard.test"
) -> AsyncIterator[Browser]:
    """One with an empty cookie jar, at an address of the internet."""
    transport = httpx2.ASGITransport(app=app, client=(address, 50000))
    headers = {"User-Agent": "Browser/1.0"}
    async with httpx2.AsyncClient(transport=transport, base_url=base_url, headers=headers) as http:
        yield Browser(http)


def mails_in(folder: Path) -> list[EmailMessage]:
    """What was written to the outbox folder, oldest first."""
    return [
        cast(EmailMessage, email.message_from_bytes(path.read_bytes(), policy=default))
        for path in sorted(folder.glob("*.eml"))
    ]


def token_in(mail: EmailMessage) -> str:
    return mail.get_content().partition("?token=")[2].split()[0]
