"""Real speech in both directions, at 8 kHz."""

from __future__ import annotations

import numpy as np
import pytest

from runtime.media.audio.telephone_codec import decode_mulaw, encode_mulaw
from runtime.media.phones.echo import EchoSuppressor
from runtime.media.room import Samples
from tests.stand_ins.carriers.sound import spoken

HZ = 8_000
FRAME = 160
AGENT = "Thank you for calling. Are you a new patient, or have you been to our clinic before?"
CALLER = "Sorry, one moment please. I have a completely different question about my bill."


def echo_of(sent: Samples, delay_ms: int, decibels: float) -> Samples:
    quieter = (sent * 10 ** (decibels / 20)).astype(np.int16)
    return np.concatenate([np.zeros(delay_ms * HZ // 1000, np.int16), quieter])[: sent.size]


def over_the_line(samples: Samples) -> Samples:
    return decode_mulaw(encode_mulaw(samples))


def heard(sent: Samples, returned: Samples) -> Samples:
    suppressor, frames = EchoSuppressor(HZ), []
    returned = over_the_line(returned)
    for at in range(0, sent.size - FRAME + 1, FRAME):
        suppressor.sent(sent[at : at + FRAME])
        frames.append(suppressor.received(returned[at : at + FRAME]))
    return np.concatenate(frames)


def level_db(samples: Samples) -> float:
    return float(10 * np.log10(np.mean(samples.astype(float) ** 2) + 1))


@pytest.mark.parametrize("delay_ms", [40, 150, 310, 600])
@pytest.mark.parametrize("decibels", [-10.0, -15.0, -25.0])
def test_a_phones_echo_is_gone(delay_ms: int, decibels: float) -> None:
    agent = spoken(AGENT)
    echo = echo_of(agent, delay_ms, decibels)
    assert level_db(heard(agent, echo)) < level_db(echo) - 15


def test_an_echo_through_a_loudspeaker_is_much_quieter() -> None:
    agent = spoken(AGENT)
    room = np.array([1.0, 0.5, -0.3, 0.2, -0.1])
    echo = echo_of(np.convolve(agent, room, "same").astype(np.int16), 150, -15)
    assert level_db(heard(agent, echo)) < level_db(echo) - 10


def test_a_caller_is_not_touched_while_the_agent_is_silent() -> None:
    caller = spoken(CALLER)
    unchanged = over_the_line(caller)
    whole = caller.size - caller.size % FRAME
    assert np.array_equal(heard(np.zeros_like(caller), caller), unchanged[:whole])


def test_a_caller_who_speaks_with_the_agent_is_heard() -> None:
    agent, caller = spoken(AGENT), spoken(CALLER)
    size = min(agent.size, caller.size)
    agent, caller = agent[:size], caller[:size]
    passed = heard(agent, caller)
    assert level_db(passed) > level_db(caller) - 0.5


def test_a_caller_who_speaks_into_the_echo_is_heard() -> None:
    agent, caller = spoken(AGENT), spoken(CALLER)
    size = min(agent.size, caller.size)
    agent, caller = agent[:size], caller[:size]
    both = (caller.astype(int) + echo_of(agent, 150, -15)).clip(-32_768, 32_767).astype(np.int16)
    assert level_db(heard(agent, both)) > level_db(caller) - 1.0
