"""How well the recogniser understands speech that came through a bad network.

    python -m bench.speech_over_networks [--seeds 3]

The word error rate is that of the offline recogniser, over all sentences and seeds.
"""

from __future__ import annotations

import argparse

from rich.console import Console
from rich.table import Table

from switchboard.caller.speech_models import Recogniser, Voice
from tests.runtime.media.impaired_network import Network, Sentence, received, word_errors

NETWORKS = {
    "no loss": Network(),
    "5 % loss": Network(loss=0.05),
    "20 % loss": Network(loss=0.20),
    "200 ms jitter": Network(jitter_ms=200),
    "5 % loss, 60 ms jitter": Network(loss=0.05, jitter_ms=60),
    "10 ms packets": Network(packet_ms=10),
    "10 ms packets, 5 % loss": Network(loss=0.05, packet_ms=10),
    "60 ms packets, 5 % loss": Network(loss=0.05, packet_ms=60),
}

TEXTS = (
    "Hi, I would like to book an appointment with the dentist.",
    "No, this is my first time at your practice.",
    "My name is Emma Wilson and I live in Boston.",
    "Could we please meet next Tuesday in the afternoon?",
    "I have had a toothache since yesterday morning.",
    "Does my insurance cover the whole treatment?",
    "I would rather come early in the day if that is possible.",
    "Can you send me a message with the address?",
    "I need to cancel the meeting that we planned for Friday.",
    "Please tell me how long the visit is going to take.",
    "My daughter also needs a check before the summer holidays.",
    "Is there a place to park the car near the building?",
    "I am allergic to some of the usual medicines.",
    "The last bill that you sent me was not correct.",
    "We ordered a table by the window for a birthday dinner.",
    "Three of the guests do not eat any meat or fish.",
    "Could you repeat the last sentence a little slower?",
    "I will call again tomorrow when I know my plans.",
    "The package arrived, but one of the glasses was broken.",
    "How do I return the shoes that do not fit?",
    "I forgot the password of my account and cannot log in.",
    "Please connect me with somebody who can help me with that.",
    "The internet in our office has not worked since this morning.",
    "Thank you very much for your help, and have a nice day.",
)


def sentences() -> list[Sentence]:
    """The texts as sound."""
    voice = Voice()
    return [Sentence(text, voice.speak(text).audio) for text in TEXTS]


def error_rate(recogniser: Recogniser, said: list[Sentence], network: Network, seeds: int) -> float:
    wrong = words = 0
    for seed in range(seeds):
        for sentence, heard in zip(said, received(said, network, seed), strict=True):
            errors, count = word_errors(sentence.text, recogniser.transcribe(heard))
            wrong, words = wrong + errors, words + count
    return wrong / words


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seeds", type=int, default=3)
    seeds = parser.parse_args().seeds
    said, recogniser = sentences(), Recogniser()
    table = Table(title=f"{len(said)} sentences, {seeds} times each")
    table.add_column("network")
    table.add_column("word error rate", justify="right")
    for name, network in NETWORKS.items():
        table.add_row(name, f"{error_rate(recogniser, said, network, seeds):.1%}")
    Console().print(table)


if __name__ == "__main__":
    main()
