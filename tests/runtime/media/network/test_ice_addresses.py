from runtime.media.network.ice_addresses import LOOPBACK, ice_addresses, local_ice_addresses


def test_loopback_is_offered_when_the_machine_has_no_other_address() -> None:
    assert ice_addresses([], offer_loopback=False) == [LOOPBACK]


def test_loopback_is_left_out_when_the_machine_has_a_network() -> None:
    assert ice_addresses(["192.0.2.2", "2001:db8::2"], offer_loopback=False) == [
        "192.0.2.2",
        "2001:db8::2",
    ]


def test_loopback_is_offered_beside_the_others_when_asked_for() -> None:
    assert ice_addresses(["192.0.2.2"], offer_loopback=True) == ["192.0.2.2", LOOPBACK]


def test_this_machine_always_offers_something() -> None:
    assert local_ice_addresses()
    assert LOOPBACK in local_ice_addresses(offer_loopback=True)
