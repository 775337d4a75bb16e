"""The short forms of ``make fuzz``, with the same choices in each run."""

from __future__ import annotations

from random import Random

from tests.fuzz.carrier_messages import fuzz_carriers
from tests.fuzz.documents import fuzz_documents
from tests.fuzz.offers import fuzz_offers
from tests.fuzz.packets import PACKETS_OF_A_CALL, fuzz_packets
from tests.fuzz.tool_arguments import fuzz_tool_arguments


async def test_broken_packets_end_no_call_and_stall_none() -> None:
    outcome = await fuzz_packets(Random(1), 3 * PACKETS_OF_A_CALL)
    assert outcome.faults == []
    assert outcome.taken > 1_000, "packets of a caller reach the parsers behind the decryption"


async def test_broken_offers_are_read_or_refused() -> None:
    outcome = await fuzz_offers(Random(1), 2_000)
    assert outcome.faults == []
    assert 0 < outcome.taken < outcome.inputs


def test_broken_documents_are_read_or_refused_as_a_whole() -> None:
    outcome = fuzz_documents(Random(1), 10_000)
    assert outcome.faults == []
    assert 0 < outcome.taken < outcome.inputs


async def test_broken_arguments_of_tools_are_refused_with_words() -> None:
    outcome = await fuzz_tool_arguments(Random(1), 3_000)
    assert outcome.faults == []
    assert 0 < outcome.taken < outcome.inputs


def test_broken_messages_of_carriers_are_understood_or_ignored() -> None:
    outcome = fuzz_carriers(Random(1), 10_000)
    assert outcome.faults == []
    assert 0 < outcome.taken < outcome.inputs
