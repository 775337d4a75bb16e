from runtime.media.network.packet_sources import MOST_SOURCES, PacketSources


def test_the_first_sources_are_the_legs_and_no_others() -> None:
    sources = PacketSources()
    assert all(sources.admit(source) for source in range(MOST_SOURCES))
    assert all(sources.admit(source) and sources.may_send(source) for source in range(MOST_SOURCES))
    assert not sources.may_send(99)
    assert not sources.admit(99)


def test_a_source_that_is_only_claimed_takes_no_place() -> None:
    sources = PacketSources()
    assert all(sources.may_send(source) for source in range(1_000))
    assert sources.admit(1_000)
