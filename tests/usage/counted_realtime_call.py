"""One call with a realtime model and barge-ins, and what both sides have counted."""

from __future__ import annotations

import random

from pipelines.engine.shared_models import WarmModels
from pipelines.settings import ProviderDeadlines
from tests.pipelines.engine.channels.realtime.realtime_call import realtime_call
from tests.stand_ins.openai_realtime import OpenAIRealtime, Reply
from tests.stand_ins.openai_wire import OpenAIWire, TokenBill, says
from tests.usage.counted_call import CountedCall, reported, talk
from tests.usage.vendors import ANSWER, QUESTION, Totals

PATIENT = ProviderDeadlines(realtime_first_audio_seconds=60.0, idle_seconds=60.0)


async def counted_realtime_call(models: WarmModels, chance: random.Random) -> CountedCall:
    """The model has no faults, and as much time as it likes: of an answer that was given up, its
    server tells no tokens, and it does not count a real one's either, which grow with what was
    said before."""
    wire, bill = OpenAIRealtime([Reply(ANSWER)], [QUESTION]), TokenBill()
    spare = OpenAIWire([says(ANSWER)], bill=bill)
    async with realtime_call(models, wire, spare, deadlines=PATIENT) as call:
        await talk(call.talk, chance)
    return CountedCall(reported(call.talk), _charged(wire, bill))


def _charged(wire: OpenAIRealtime, bill: TokenBill) -> Totals:
    sent = wire.sent
    return Totals(
        tokens_read=sent.input_text + sent.input_audio + bill.read,
        tokens_written=sent.output_text + sent.output_audio + bill.written,
        cached_tokens=sent.cached_text + sent.cached_audio + bill.cached,
        audio_tokens_read=sent.input_audio,
        cached_audio_tokens=sent.cached_audio,
        audio_tokens_written=sent.output_audio,
        heard_ms=round(1000 * wire.transcribed_seconds),
    )
