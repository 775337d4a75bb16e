from runtime.media.audio.playout_delay import MOST_SAMPLES, PlayoutDelay

FRAME = 960


def test_a_steady_network_needs_no_packet_in_waiting() -> None:
    delay = PlayoutDelay()
    for _ in range(1000):
        delay.played(FRAME, 0)
    assert delay.target_samples == 0


def test_as_many_packets_as_came_late_together_should_wait_from_then_on() -> None:
    delay = PlayoutDelay()
    delay.starved()
    delay.starved()
    delay.played(FRAME, 2 * FRAME)
    assert delay.target_samples == 2 * FRAME


def test_a_pause_of_the_sender_is_not_lateness() -> None:
    delay = PlayoutDelay()
    for _ in range(20):
        delay.starved()
    delay.played(FRAME, 0)
    assert delay.target_samples == 0


def test_the_delay_is_bounded() -> None:
    delay = PlayoutDelay()
    delay.starved()
    delay.played(FRAME, 20 * FRAME)
    assert delay.target_samples == MOST_SAMPLES


def test_a_delay_that_nothing_needs_is_given_up_step_by_step() -> None:
    delay = PlayoutDelay()
    delay.starved()
    delay.played(FRAME, 2 * FRAME)
    for _ in range(500):
        delay.played(FRAME, 2 * FRAME)
    assert delay.target_samples == FRAME
    for _ in range(500):
        delay.played(FRAME, FRAME)
    assert delay.target_samples == 0


def test_a_delay_that_was_needed_is_kept() -> None:
    delay = PlayoutDelay()
    delay.starved()
    delay.played(FRAME, FRAME)
    for frame in range(2000):
        delay.played(FRAME, 0 if frame % 400 == 0 else FRAME)
    assert delay.target_samples == FRAME


def test_a_packet_that_missed_its_turn_would_be_in_time_from_then_on() -> None:
    delay = PlayoutDelay()
    delay.late(3 * FRAME)
    assert delay.target_samples == 3 * FRAME
    delay.late(100 * FRAME)
    assert delay.target_samples == MOST_SAMPLES


def test_one_packet_waits_while_copies_of_lost_ones_are_used() -> None:
    delay = PlayoutDelay()
    delay.recoverable(FRAME)
    assert delay.target_samples == FRAME
    for frame in range(2_000):
        if frame % 400 == 0:
            delay.recoverable(FRAME)
        delay.played(FRAME, FRAME)
    assert delay.target_samples == FRAME
    for _ in range(1_000):
        delay.played(FRAME, FRAME)
    assert delay.target_samples == 0
