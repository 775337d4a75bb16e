"""Requests of a hostile tenant, and of strangers."""

from __future__ import annotations

import asyncio
import contextlib
import random
from http import HTTPStatus
from typing import Any

import httpx2

from switchboard.demo.account import agent_body
from tests.hostile.costly_schemas import bomb, extracting, slow_to_compile
from tests.hostile.target import Target

STREAMS = 30
WISH = "A receptionist for my restaurant Bella Napoli: ask for name, day, time and party size."
PASSWORD = "a password that nobody knows"


def told(answer: httpx2.Response) -> str:
    """The status, or why the request was refused."""
    return str(answer.status_code) if answer.is_success else str(answer.json()["code"])


class ApiAttacks:
    """Each method is one try, and returns what came of it."""

    def __init__(self, target: Target, http: httpx2.AsyncClient) -> None:
        self._target = target
        self._http = http
        self._chat: str | None = None

    async def _send(self, method: str, path: str, headers: dict[str, str], body: Any) -> int:
        answer = await self._http.request(method, path, headers=headers, json=body)
        return answer.status_code

    async def save_schema_bomb(self) -> int:
        body = agent_body() | extracting(bomb())
        return await self._send("POST", "/v1/agents", self._target.secret, body)

    async def bring_schema_bomb(self) -> int:
        body = self._target.call_body | extracting(bomb())
        return await self._send("POST", "/v1/calls", self._target.secret, body)

    async def bring_schema_bomb_from_a_page(self) -> int:
        body = self._target.call_body | extracting(bomb())
        return await self._send("POST", "/v1/calls", self._target.publishable, body)

    async def save_slow_schema(self) -> int:
        body = agent_body() | extracting(slow_to_compile())
        return await self._send("POST", "/v1/agents", self._target.secret, body)

    async def save_endless_list(self) -> int:
        """As long as the API still parses."""
        handlers = [{"trigger": "no" * 20, "response": "yes"}] * 9_900
        body = agent_body()
        body["playbook"]["objectionHandlers"] = handlers
        return await self._send("POST", "/v1/agents", self._target.secret, body)

    async def save_odd_template(self) -> int:
        loop = "{% for i in range(9999999) %}x{% endfor %}"
        prompt = "{% autoescape true %}x{% endautoescape %}" + loop
        body = agent_body() | {"system_prompt": prompt}
        return await self._send("POST", "/v1/agents", self._target.secret, body)

    async def save_slow_name(self) -> int:
        """Of a name server that does not answer, if there is one (``silent_name_server.py``)."""
        body = {
            "url": f"https://{random.getrandbits(64):x}.slow.example.com/hook",
            "events": ["call.completed"],
            "secret": "sixteen letters!",
        }
        return await self._send("POST", "/v1/webhooks", self._target.secret, body)

    async def mail_encoded_words(self) -> int:
        """The agent's name, which has some, goes into the mail that invites a tester."""
        body = {"email": f"{random.getrandbits(64):x}@victim.example", "minutes_limit": 1}
        path = f"/v1/agents/{self._target.agent_id}/testers"
        return await self._send("POST", path, self._target.secret, body)

    async def prepare_account(self) -> int:
        """Open an account for somebody else's address, and use it."""
        wanted = {
            "tenant_name": "Prepared",
            "email": f"{random.getrandbits(64):x}@victim.example",
            "password": PASSWORD,
        }
        async with httpx2.AsyncClient(base_url=self._target.url, timeout=30) as browser:
            opened = await browser.post("/v1/auth/sign-up", json=wanted)
            if opened.status_code != HTTPStatus.CREATED:
                return opened.status_code
            return (await browser.get("/v1/agents")).status_code

    async def ask_as_another_host(self) -> int:
        headers = self._target.secret | {"Host": "evil.example"}
        return await self._send("GET", "/v1/agents", headers, None)

    async def generate_agents(self) -> str:
        return told(await self._post("/v1/agents/generate", {"prompt": WISH}))

    async def chat_without_end(self) -> str:
        chats = f"/v1/agents/{self._target.agent_id}/chat-sessions"
        if self._chat is None:
            begun = await self._post(chats, {})
            if not begun.is_success:
                return told(begun)
            self._chat = begun.json()["id"]
        said = told(await self._post(f"{chats}/{self._chat}/messages", {"text": "And then? " * 50}))
        if said in ("chat_session_not_found", "chat_session_over"):
            self._chat = None
        return said

    async def _post(self, path: str, body: Any) -> httpx2.Response:
        return await self._http.post(path, headers=self._target.secret, json=body)

    async def open_call(self) -> int:
        body = self._target.call_body
        return await self._send("POST", "/v1/calls", self._target.publishable, body)

    async def guess_operator_token(self) -> int:
        guess = {"Authorization": f"Bearer {random.random()}"}
        return await self._send("GET", "/v1/operator/tenants", guess, None)

    async def guess_password(self) -> int:
        body = {"email": "owner@demo.example", "password": f"password {random.random()}"}
        return await self._send("POST", "/v1/auth/login", {}, body)

    async def open_stream(self) -> str:
        body, secret = self._target.call_body, self._target.secret
        created = await self._http.post("/v1/calls", headers=secret, json=body)
        if created.status_code != HTTPStatus.CREATED:
            return f"no call: {created.status_code}"
        path = f"/v1/calls/{created.json()['id']}/stream"
        opened = 0
        async with contextlib.AsyncExitStack() as streams:
            for _ in range(STREAMS):
                answer = await streams.enter_async_context(
                    self._http.stream("GET", path, headers=secret)
                )
                opened += answer.status_code == HTTPStatus.OK
            await asyncio.sleep(2)
        return "closed" if opened else "opened none"
