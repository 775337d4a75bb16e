from runtime.media.playout_delay import MOST_PACKETS, PlayoutDelay


def test_a_steady_network_needs_no_packet_in_waiting() -> None:
    delay = PlayoutDelay()
    for _ in range(1000):
        delay.played(waiting_packets=0)
    assert delay.target_packets == 0


def test_as_many_packets_as_came_late_together_should_wait_from_then_on() -> None:
    delay = PlayoutDelay()
    delay.starved()
    delay.starved()
    delay.played(waiting_packets=2)
    assert delay.target_packets == 2


def test_a_pause_of_the_sender_is_not_lateness() -> None:
    delay = PlayoutDelay()
    for _ in range(20):
        delay.starved()
    delay.played(waiting_packets=0)
    assert delay.target_packets == 0


def test_the_delay_is_bounded() -> None:
    delay = PlayoutDelay()
    delay.starved()
    delay.played(waiting_packets=20)
    assert delay.target_packets == MOST_PACKETS


def test_a_delay_that_nothing_needs_is_given_up_step_by_step() -> None:
    delay = PlayoutDelay()
    delay.starved()
    delay.played(waiting_packets=2)
    for _ in range(500):
        delay.played(waiting_packets=2)
    assert delay.target_packets == 1
    for _ in range(500):
        delay.played(waiting_packets=1)
    assert delay.target_packets == 0


def test_a_delay_that_was_needed_is_kept() -> None:
    delay = PlayoutDelay()
    delay.starved()
    delay.played(waiting_packets=1)
    for frame in range(2000):
        delay.played(waiting_packets=0 if frame % 400 == 0 else 1)
    assert delay.target_packets == 1
