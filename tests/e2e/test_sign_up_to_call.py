"""From nothing to a spoken call, through the public API alone: sign up, confirm the mail address,
describe an agent in one sentence, publish it, make a key, and talk to it."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import httpx2
import pytest

from switchboard.caller.call_session import call_agent
from switchboard.caller.dialogue_policy import LineByLine
from switchboard.caller.prepared_speech import prepare_speech
from switchboard.caller.reports import CallSummary, Report
from switchboard_client import AsyncSwitchboard
from tests.control_plane.identity.accounts.browsing import mails_in, token_in
from tests.e2e.conftest import LiveSwitchboard
from tests.e2e.polling import ended_call

pytestmark = [pytest.mark.e2e, pytest.mark.timeout(300)]

EMAIL = "nora@blue-harbor.example"
SENTENCE = (
    "A friendly receptionist named Nora for the restaurant Blue Harbor who takes table "
    "reservations: ask for the name, the day, the time and the number of guests."
)
LINES = (
    "Hi, I would like to book a table please.",
    "My name is Emma Wilson.",
    "On Friday.",
    "At seven in the evening.",
    "Four people.",
)


@dataclass(frozen=True)
class SpokenCall:
    me: dict[str, Any]
    draft: dict[str, Any]
    agent: dict[str, Any]
    summary: CallSummary
    record: dict[str, Any]
    audit_actions: list[str]

    def said_by(self, speaker: str) -> str:
        """All segments of one speaker, in small letters."""
        segments = self.record["transcript"]["segments"]
        return " ".join(each["text"] for each in segments if each["speaker"] == speaker).lower()


@pytest.fixture(scope="module")
def call(switchboard: LiveSwitchboard) -> SpokenCall:
    return asyncio.run(_from_sign_up_to_call(switchboard.api_url, switchboard.data_dir / "outbox"))


async def _from_sign_up_to_call(api_url: str, outbox: Path) -> SpokenCall:
    async with httpx2.AsyncClient(base_url=api_url, timeout=60) as browser:
        signed_up = await browser.post(
            "/v1/auth/sign-up",
            json={
                "tenant_name": "Blue Harbor",
                "email": EMAIL,
                "password": "correct horse battery",
            },
        )
        assert signed_up.status_code == 201, signed_up.text
        browser.headers["X-CSRF-Token"] = signed_up.json()["csrf_token"]

        async def post(path: str, body: dict[str, Any] | None = None) -> dict[str, Any]:
            answer = await browser.post(path, json=body)
            assert answer.is_success, answer.text
            document: dict[str, Any] = answer.json()
            return document

        await post("/v1/auth/confirm-email", {"token": await _mailed_token(outbox)})
        generated = await post("/v1/agents/generate", {"prompt": SENTENCE})
        agent_id = (await post("/v1/agents", generated["draft"]))["id"]
        await post(f"/v1/agents/{agent_id}/publish")
        key = (await post("/v1/api-keys", {"name": "Server", "kind": "secret"}))["key"]
        me = (await browser.get("/v1/me")).json()
        agent = (await browser.get(f"/v1/agents/{agent_id}")).json()
        audit_log = (await browser.get("/v1/audit-log")).json()

    conversation = LineByLine(LINES)
    speech = await prepare_speech(conversation.lines())
    reports: list[Report] = []
    async with AsyncSwitchboard(api_url, key) as api:
        summary = await call_agent(
            api, agent_id, conversation, speech, reports.append, asyncio.Event()
        )
        record = await ended_call(api, summary.call_id)
    return SpokenCall(
        me,
        generated["draft"],
        agent,
        summary,
        record,
        [entry["action"] for entry in audit_log["entries"]],
    )


async def _mailed_token(outbox: Path) -> str:
    """The mail is written after the answer to the sign-up."""
    async with asyncio.timeout(10):
        while not (  # noqa: ASYNC110 (the outbox is a folder)
            found := [mail for mail in mails_in(outbox) if mail["To"] == EMAIL]
        ):
            await asyncio.sleep(0.05)
    return token_in(found[0])


def test_the_new_account_has_its_owner_and_welcome_credit(call: SpokenCall) -> None:
    assert (call.me["role"], call.me["tenant"]["name"]) == ("owner", "Blue Harbor")


def test_the_sentence_becomes_an_agent_that_says_what_it_said(call: SpokenCall) -> None:
    assert call.draft["persona"]["companyName"] == "Blue Harbor"
    assert call.draft["persona"]["name"] == "Nora"
    assert len(call.draft["playbook"]["requiredSlots"]) == 4
    assert call.agent["published_version"] == 1
    assert "Blue Harbor" in call.agent["compiled_prompt"]


def test_the_agent_greets_asks_and_understands_aloud(call: SpokenCall) -> None:
    assert "blue harbor" in call.summary.opener_heard.lower()
    assert "emma wilson" in call.said_by("user")
    assert call.record["collected_slots"]["name"] == "Emma Wilson"
    heard = call.said_by("agent")
    assert "name" in heard
    assert any(word in heard for word in ("guests", "people", "party"))


def test_the_call_is_billed(call: SpokenCall) -> None:
    assert call.record["status"] == "completed"
    assert call.record["total_cost"] > 0


def test_every_step_is_in_the_audit_log(call: SpokenCall) -> None:
    assert {"agent.created", "agent.published", "api_key.created"} <= set(call.audit_actions)
