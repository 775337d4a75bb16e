"""An account as it looks after some days: agents with short and long names, calls in every state, a
recording, members, keys."""

from __future__ import annotations

import math
from dataclasses import dataclass
from uuid import UUID

import numpy as np

from contracts.call_plan import CallPlan
from contracts.end_reasons import EndReason
from contracts.events import (
    EventBody,
    Logged,
    SlotsCollected,
    ToolCalled,
    TranscriptSegment,
    TurnMeasured,
    UsageReported,
)
from runtime.recording.part_cutter import Part
from runtime.recording.part_encoder import PartEncoder
from tests.control_plane.building.knowledge_sources.ingesting import Sources
from tests.control_plane.calling.chat_sessions.chatting import CLINIC
from tests.control_plane.calling.recordings.recorded_call import RECORDS, RecordedCall
from tests.control_plane.conversation import CALLER, catch_up
from tests.knowledge.documents import pdf_of

LONG_NAME = (
    "Reception of the Donaudampfschifffahrtsgesellschaft, evenings and weekends, second line"
)
TOOL = {
    "type": "call_webhook",
    "name": "find_free_times",
    "description": "Finds free times on a day.",
    "url": "https://hooks.example.com/free-times",
}
HOUSE_RULES = """\
# Pets

Dogs and other small animals may wait with their people in the garden behind the house. They \
may not come into the treatment rooms.

# Parking

| Where | Price |
|---|---|
| In front of the house | free for an hour |
| Garage in Mill Street | 2 euros an hour |

# Children

A parent has to come with children who are younger than sixteen.
"""
SECONDS = 34
CONVERSATION = (
    (0, "agent", "Hello, this is Mia of Bright Smile. How can I help?", None),
    (4_300, "user", "Hi, I would like to book an appointment for my daughter, please.", None),
    (8_400, "agent", "Gladly. What is her full name?", 590),
    (10_600, "user", "Ada Lovelace.", None),
    (12_500, "agent", "Thank you. And on which number can we reach you?", 640),
    (16_000, "user", "It is 212, 555, 0142. Are you open on Saturdays?", None),
    (
        21_300,
        "agent",
        "We are open from nine to five, Monday to Friday. Does Monday suit you?",
        910,
    ),
    (26_600, "user", "Yes, that is fine. Goodbye!", None),
    (29_200, "agent", "You are booked. Thank you for calling, goodbye.", 610),
)


@dataclass(frozen=True)
class Furnished:
    agent_id: UUID
    draft_id: UUID
    """An agent that cannot be published."""
    call_id: UUID
    """Over, with a recording."""
    failed_id: UUID
    running_id: UUID
    webhook_id: UUID


def _sound() -> bytes:
    """Both sides of the conversation: a tone wherever somebody speaks."""
    user, agent = np.zeros(SECONDS * 48_000), np.zeros(SECONDS * 24_000)
    for (start, speaker, text, _), hz in zip(CONVERSATION, [220, 330] * 5, strict=False):
        side, rate = (agent, 24_000) if speaker == "agent" else (user, 48_000)
        length = int(min(len(text) / 15, 4) * rate)
        at = np.arange(length) / rate
        swell = 6000 * np.abs(np.sin(2 * math.pi * 1.7 * at)) + 600
        side[start * rate // 1000 :][:length] = swell * np.sin(2 * math.pi * hz * at)
    people = user.astype(np.int16).reshape(-1, 960)
    voice = agent.astype(np.int16).reshape(-1, 480)
    return PartEncoder().encode(Part(0, list(people), list(voice)))


def _said() -> list[EventBody]:
    bodies: list[EventBody] = [Logged(level="info", message="The call's room is open.")]
    for number, (start, speaker, text, latency_ms) in enumerate(CONVERSATION):
        bodies.append(
            TranscriptSegment(
                sequence=number,
                speaker="agent" if speaker == "agent" else "user",
                text=text,
                started_at_ms=start,
                ended_at_ms=start + len(text) * 66,
                interrupted=number == 6,
            )
        )
        if latency_ms is not None:
            bodies.append(
                TurnMeasured(
                    sequence=number,
                    end_to_end_ms=latency_ms,
                    transcription_delay_ms=70,
                    end_of_turn_delay_ms=310,
                    llm_first_token_ms=latency_ms - 500,
                    tts_first_byte_ms=120,
                )
            )
    return [
        *bodies,
        ToolCalled(
            name="find_free_times",
            arguments={"day": "Monday"},
            output='{"free": ["09:00", "11:30"]}',
            duration_ms=180,
        ),
        SlotsCollected(slots={"full_name": "Ada Lovelace", "phone_number": "+1 212 555 0142"}),
        UsageReported(channel="stt", provider="local", model="zipformer", audio_ms=14_000),
        UsageReported(channel="tts", provider="local", model="hibari", characters=230),
        Logged(level="warning", message="openai did not answer in 2 s; the playbook went on."),
    ]


async def _next_call(call: RecordedCall, agent_id: UUID) -> CallPlan:
    wanted = {"agent_id": str(agent_id), "participants": [CALLER]}
    assert (await call.tenant.post("/v1/calls", wanted)).status_code == 201
    plan = await call.worker.claim()
    assert plan is not None
    await call.worker.start(plan)
    return plan


async def _know(call: RecordedCall, agent_id: UUID) -> None:
    """Sources in each state: two that calls look up, one that could not be read, one that waits."""
    sources = Sources(call.tenant, agent_id, call.database, call.settings)
    await sources.add_text("House rules", HOUSE_RULES)
    await sources.upload(
        "prices-2026.pdf", pdf_of("A check-up costs 60 euros, a filling 140 euros.")
    )
    await sources.upload("contract.pdf", pdf_of("Terms.", password="secret"))
    page = {
        "kind": "url",
        "title": "Opening hours",
        "url": "https://8.8.8.8/en/practice/opening-hours-and-emergencies.html",
    }
    assert (await call.tenant.post(sources.path, page)).status_code == 202


async def furnish(call: RecordedCall) -> Furnished:
    """Fills the account of a call that has begun."""
    tenant, worker = call.tenant, call.worker
    agent_id = await tenant.published_agent(**CLINIC, **RECORDS, tools=[TOOL])
    long_id = await tenant.published_agent(name=LONG_NAME)
    draft_id = await tenant.draft(name="Night line", language="de-DE")
    opener = {"playbook": CLINIC["playbook"] | {"opener": "Good day, this is Mia. How can I help?"}}
    assert (await tenant.request("PATCH", f"/v1/agents/{agent_id}", json=opener)).status_code == 200
    assert (await tenant.post(f"/v1/agents/{agent_id}/publish")).status_code == 200

    await call.begin(agent_id)
    await worker.ship(call.plan, *_said())
    await call.start_recording()
    call.store(0, _sound())
    await call.stop_recording(SECONDS * 1000)
    await call.end(SECONDS * 1000)
    await call.run_jobs()

    failed = await _next_call(call, long_id)
    await worker.end(failed, 3_000, EndReason.NO_PROVIDER_CONNECTED)
    running = await _next_call(call, agent_id)
    await worker.ship(running, *_said()[:4])
    await catch_up(call.consumer)

    await _know(call, agent_id)
    await tenant.publishable_key(name="Website")
    invitation = {"email": "samantha.of.the.front.desk@bright-smiles.example.com", "role": "member"}
    assert (await tenant.post("/v1/invitations", invitation)).status_code == 201
    hook = {"url": "https://8.8.8.8/", "events": ["call.failed"], "secret": "a secret of the tests"}
    webhook_id = (await tenant.post("/v1/webhooks", hook)).json()["id"]
    return Furnished(
        agent_id, draft_id, call.call_id, failed.call_id, running.call_id, UUID(webhook_id)
    )
