from typing import cast

from aiortc import RTCDataChannel

from runtime.media.live_channel import MOST_KEPT, LiveChannel


class Channel:
    readyState = "open"
    bufferedAmount = 0

    def __init__(self) -> None:
        self.sent: list[str] = []

    def send(self, text: str) -> None:
        self.sent.append(text)


def opened(live: LiveChannel) -> Channel:
    channel = Channel()
    live.opened(cast(RTCDataChannel, channel))
    return channel


def test_messages_sent_before_the_peer_opens_the_channel_reach_it_in_order() -> None:
    live = LiveChannel()
    live.send("one")
    live.send("two")
    channel = opened(live)
    live.send("three")
    assert channel.sent == ["one", "two", "three"]


def test_only_the_newest_messages_are_kept() -> None:
    live = LiveChannel()
    for number in range(MOST_KEPT + 5):
        live.send(str(number))
    sent = opened(live).sent
    assert len(sent) == MOST_KEPT
    assert sent[-1] == str(MOST_KEPT + 4)


def test_a_closed_channel_misses_messages() -> None:
    live = LiveChannel()
    channel = opened(live)
    channel.readyState = "closed"
    live.send("lost")
    assert channel.sent == []


def test_a_peer_that_does_not_read_misses_messages() -> None:
    live = LiveChannel()
    channel = opened(live)
    channel.bufferedAmount = 2 << 20
    live.send("lost")
    assert channel.sent == []


def test_what_was_kept_is_sent_to_the_first_channel_only() -> None:
    live = LiveChannel()
    live.send("one")
    opened(live)
    second = opened(live)
    live.send("two")
    assert second.sent == ["two"]
