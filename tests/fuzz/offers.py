"""Broken SDP offers: read, and now and then answered by a leg."""

from __future__ import annotations

from random import Random
from uuid import uuid4

from contracts.call_plan import PlannedParticipant
from runtime.media.local_room import LocalRoom
from runtime.media.network.sdp_offer import read_offer
from runtime.media.room import BadOffer
from tests.fuzz.mutation import mutated_lines
from tests.fuzz.outcome import Outcome, no_error_unhandled
from tests.fuzz.own_time import own_ms
from tests.runtime.media.loopback_peer import LoopbackPeer
from tests.runtime.media.network.test_sdp_offer import AUDIO, CHANNEL, VIDEO, offer

ANSWERED_SHARE = 0.003
LONGEST_MS = 250.0


async def fuzz_offers(dice: Random, count: int) -> Outcome:
    """Read ``count`` broken offers: each is read, or refused with words, and soon."""
    outcome = Outcome("SDP offers")
    async with no_error_unhandled(outcome):
        samples = [await _own_offer(), offer(VIDEO, AUDIO, CHANNEL, mids="1 0 2")]
        room = LocalRoom("fuzz")
        while outcome.inputs < count:
            sdp = mutated_lines(dice, dice.choice(samples))
            began_at_ms = own_ms()
            try:
                read_offer(sdp)
            except BadOffer:
                pass
            except Exception as error:  # noqa: BLE001 - any other error is a fault
                outcome.faults.append(f"{error!r} from {sdp!r}")
            else:
                outcome.taken += 1
            outcome.longest_ms = max(outcome.longest_ms, own_ms() - began_at_ms)
            if dice.random() < ANSWERED_SHARE:
                await _answer(room, sdp, outcome)
            outcome.inputs += 1
            outcome.note_memory(outcome.inputs / count)
        await room.aclose()
    if outcome.longest_ms > LONGEST_MS:
        outcome.faults.append(f"one offer took {outcome.longest_ms:.0f} ms")
    outcome.close()
    return outcome


async def _own_offer() -> str:
    peer = LoopbackPeer()
    try:
        return await peer.offer()
    finally:
        await peer.connection.close()


async def _answer(room: LocalRoom, sdp: str, outcome: Outcome) -> None:
    participant = PlannedParticipant(participant_id=uuid4(), transport="webrtc", identity="caller")
    try:
        await room.answer_offer(participant, sdp)
    except BadOffer:
        return
    except Exception as error:  # noqa: BLE001 - any other error is a fault
        outcome.faults.append(f"{error!r} from {sdp!r}")
    finally:
        await room.remove_leg(participant.participant_id)
