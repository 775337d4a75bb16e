"""How fast a conversation is, measured on the waveform with offline models and audio in memory.

    python -m bench.turn_latency [--turns 12] [--barge-ins 6] [--calls 1]

Latency runs from the caller's last audible 20 ms to the agent's first; a barge-in from the caller's
first audible 20 ms to the agent's last. With ``--calls`` above 1 that many calls talk at once.
"""

from __future__ import annotations

import argparse
import asyncio
import logging
import resource
import statistics
import time
from collections import defaultdict

from livekit.agents import ConversationItemAddedEvent, llm
from rich.console import Console
from rich.table import Table

from contracts.agent_config import AgentConfig
from pipelines.engine.shared_models import WarmModels, load_models
from pipelines.settings import ProviderSettings
from tests.pipelines.conversations import conversation
from tests.pipelines.engine.speech import spoken
from tests.pipelines.plans import call_plan

AGENT = AgentConfig.model_validate(
    {
        "name": "Mia",
        "persona": {"companyName": "Bright Dental", "role": "receptionist"},
        "playbook": {
            "opener": "Bright Dental, this is Mia. How can I help you?",
            "qualificationFlow": [
                {"question": f"Question number {number}: what would you like to tell me?"}
                for number in range(1, 40)
            ],
        },
    }
)
SENTENCES = (
    "I would like to book an appointment.",
    "My name is Anna Miller.",
    "No.",
    "Next Tuesday at half past three would be fine.",
    "I have had some pain in a tooth on the left side since yesterday.",
    "Yes, please.",
)
LONG_SPEECH = (
    "We are open from Monday to Friday, from eight in the morning until six in the evening, and on "
    "Saturdays by appointment only. You can reach us by telephone or come to the front desk."
)
INTERRUPTION = "Wait a moment, please."
METRICS = {
    "transcription_delay": "· end of speech → final text",
    "end_of_turn_delay": "· end of speech → turn taken",
    "llm_node_ttft": "· first token",
    "tts_node_ttfb": "· first audio",
}

Measured = defaultdict[str, list[float]]


async def hold_call(models: WarmModels, turns: int, barge_ins: int, measured: Measured) -> None:
    built_at = time.monotonic()

    def on_item(event: ConversationItemAddedEvent) -> None:
        if isinstance(event.item, llm.ChatMessage):
            for key, name in METRICS.items():
                value = event.item.metrics.get(key)
                if isinstance(value, float):
                    measured[name].append(value)

    async with conversation(call_plan(AGENT), models) as call:
        audio, session = call.audio, call.conversation.session
        measured["session start"].append(time.monotonic() - built_at)
        session.on("conversation_item_added", on_item)
        greeted_at = time.monotonic()
        await call.conversation.greet()
        measured["greeting → first sample"].append(
            await audio.agent_starts(greeted_at) - greeted_at
        )
        await audio.agent_finishes()
        for turn in range(turns):
            await asyncio.sleep(0.4)
            audio.mouth.say(spoken(SENTENCES[turn % len(SENTENCES)]))
            ended_at = await audio.caller_finishes()
            answered_at = await audio.agent_starts(ended_at)
            measured["voice to voice"].append(answered_at - ended_at)
            await audio.agent_finishes()
        for index in range(barge_ins):
            await asyncio.sleep(0.4)
            said_at = time.monotonic()
            session.say(LONG_SPEECH)
            await audio.agent_starts(said_at)
            await asyncio.sleep(1.0 + 0.13 * index)
            audio.mouth.say(spoken(INTERRUPTION))
            ended_at = await audio.caller_finishes()
            stopped_at = max(at for at in audio.ear.heard_at if at < ended_at)
            measured["barge-in → silence"].append(stopped_at - audio.mouth.onset_at)
            await audio.agent_starts(ended_at)
            await audio.agent_finishes()


async def measure(turns: int, barge_ins: int, calls: int) -> None:
    console = Console()
    loaded_at = time.monotonic()
    models = await load_models(ProviderSettings())
    console.print(f"models loaded in {time.monotonic() - loaded_at:.1f} s")
    for sentence in (*SENTENCES, INTERRUPTION):
        spoken(sentence)
    measured: Measured = defaultdict(list)
    started_at, cpu_before = time.monotonic(), time.process_time()
    async with asyncio.TaskGroup() as group:
        for number in range(calls):
            group.create_task(hold_call(models, turns, barge_ins, measured))
            await asyncio.sleep(0.35 if number + 1 < calls else 0)
    elapsed = time.monotonic() - started_at
    cpu_share = (time.process_time() - cpu_before) / elapsed
    await models.aclose()
    table = Table("ms", "n", "median", "p95", "worst", title=f"{calls} call(s)")
    for name, seconds in measured.items():
        ordered = sorted(seconds)
        p95 = ordered[min(len(ordered) - 1, int(0.95 * len(ordered)))]
        row = (statistics.median(ordered), p95, ordered[-1])
        table.add_row(name, str(len(ordered)), *(f"{value * 1000:.0f}" for value in row))
    console.print(table)
    peak_mb = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    console.print(f"{cpu_share / calls:.1%} of a core per call, {peak_mb:.0f} MB resident at most")


def main() -> None:
    parser = argparse.ArgumentParser(description="Voice-to-voice latency, offline models")
    parser.add_argument("--turns", type=int, default=12)
    parser.add_argument("--barge-ins", type=int, default=6)
    parser.add_argument("--calls", type=int, default=1)
    options = parser.parse_args()
    logging.getLogger("livekit").setLevel(logging.ERROR)
    asyncio.run(measure(options.turns, options.barge_ins, options.calls))


if __name__ == "__main__":
    main()
