"""What the installation says about the calls of a run."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from bench.density.heard import Answer
from bench.density.own_share import AgentTurn, Shares, shares
from bench.vendors.vendors_process import Vendors, stack_fields
from switchboard.demo.account import agent_body, create_account
from switchboard.state import read_secrets
from switchboard_client import AsyncSwitchboard
from switchboard_client.models import RawSegment
from switchboard_client.problems import TranscriptNotAvailable
from tests.e2e.up import Up
from tests.runtime.media.impaired_network import word_errors

QUESTIONS = 100
CREDIT_USD = 1_000
"""So that no long run ends for want of credit."""


@dataclass(frozen=True)
class Account:
    url: str
    key: str
    agent_id: str


async def new_account(
    up: Up, vendors: Vendors | None, fields: Mapping[str, str] | None = None
) -> Account:
    """With an agent that asks more questions than any caller answers, each long enough to be
    interrupted. ``fields``: more of the agent's."""
    secrets = read_secrets(up.data_dir)
    assert secrets is not None
    questions = [
        {"question": f"What is your answer number {n}, and how did you come to think so?"}
        for n in range(1, QUESTIONS + 1)
    ]
    body = agent_body() | {"playbook": {"qualificationFlow": questions}} | dict(fields or {})
    account = await create_account(up.state.api_url, secrets.operator_token)
    async with AsyncSwitchboard(up.state.api_url, secrets.operator_token) as operator:
        credits = f"/v1/operator/tenants/{account.tenant_id}/credits"
        await operator.request(
            "POST", credits, body={"amount_usd": CREDIT_USD, "description": "A long run"}
        )
    async with AsyncSwitchboard(up.state.api_url, account.secret_key) as api:
        agent = await api.agents.create(
            body | (stack_fields() if vendors else {}) | {**(fields or {})}
        )
        await api.agents.publish(agent.id)
        return Account(up.state.api_url, account.secret_key, str(agent.id))


@dataclass(frozen=True)
class Transcripts:
    segments: dict[str, list[RawSegment]]
    """By call."""

    def share_of_wrong_words(self, said: dict[str, list[str]]) -> float:
        wrong = total = 0
        for call_id, lines in said.items():
            heard = " ".join(
                each.text for each in self.segments.get(call_id, []) if each.speaker == "user"
            )
            errors, words = word_errors(" ".join(lines), heard)
            wrong, total = wrong + errors, total + words
        return wrong / max(1, total)

    def shares(self, answers: Sequence[Answer], vendors_ms: float) -> Shares:
        by_call: dict[str, list[tuple[float, float]]] = defaultdict(list)
        for answer in answers:
            by_call[answer.call_id].append((answer.at_ms, answer.voice_to_voice_ms))
        all_shares = Shares([], [])
        for call_id, of_call in by_call.items():
            turns = [
                AgentTurn(
                    each.started_at_ms,
                    each.metrics.end_of_turn_delay_ms if each.metrics is not None else None,
                )
                for each in self.segments.get(call_id, [])
                if each.speaker == "agent"
            ]
            found = shares(of_call, turns, vendors_ms)
            all_shares.end_of_turn_ms.extend(found.end_of_turn_ms)
            all_shares.ours_ms.extend(found.ours_ms)
        return all_shares


async def read_transcripts(account: Account, call_ids: Sequence[str]) -> Transcripts:
    segments: dict[str, list[RawSegment]] = {}
    async with AsyncSwitchboard(account.url, account.key) as api:
        for call_id in call_ids:
            try:
                segments[call_id] = (await api.calls.transcript(call_id)).transcript
            except TranscriptNotAvailable:
                segments[call_id] = []
    return Transcripts(segments)
