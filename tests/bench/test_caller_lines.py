from __future__ import annotations

from bench.caller_lines import caller_lines


def test_pairs_of_sentences_have_pauses_of_all_lengths_in_many_businesses() -> None:
    pairs = [line for line in caller_lines() if line.then is not None]
    assert len(pairs) >= 40
    assert len({line.business for line in pairs}) >= 15
    assert {line.pause_ms for line in pairs} == set(range(300, 901, 25))


def test_single_sentences_are_there_to_measure_latency() -> None:
    assert sum(line.then is None for line in caller_lines()) >= 20
