from runtime.media.jitter_buffer import JitterBuffer


def filled(*sequences: int, capacity: int = 25) -> JitterBuffer:
    buffer = JitterBuffer(capacity)
    for sequence in sequences:
        buffer.push(sequence % 0x10000, str(sequence).encode())
    return buffer


def popped(buffer: JitterBuffer, frames: int) -> list[bytes | None]:
    return [buffer.pop() for _ in range(frames)]


def test_packets_come_out_in_order_whatever_order_they_came_in() -> None:
    assert popped(filled(10, 12, 11), 3) == [b"10", b"11", b"12"]


def test_the_order_survives_the_wrap_of_sequence_numbers() -> None:
    buffer = filled(0xFFFE, 0xFFFF)
    buffer.push(1, b"after")
    buffer.push(0, b"wrap")
    assert popped(buffer, 4) == [b"65534", b"65535", b"wrap", b"after"]


def test_a_lost_packet_leaves_exactly_one_hole() -> None:
    assert popped(filled(1, 2, 4, 5), 5) == [b"1", b"2", None, b"4", b"5"]


def test_a_packet_after_its_frame_is_dropped() -> None:
    buffer = filled(1, 3)
    assert popped(buffer, 2) == [b"1", None]
    buffer.push(2, b"late")
    assert popped(buffer, 2) == [b"3", None]


def test_the_same_packet_twice_is_played_once() -> None:
    assert popped(filled(1, 1, 2), 3) == [b"1", b"2", None]


def test_loss_that_was_already_waited_for_adds_no_delay() -> None:
    buffer = filled(1)
    assert popped(buffer, 4) == [b"1", None, None, None]
    buffer.push(5, b"5")
    assert buffer.pop() == b"5"


def test_a_late_burst_is_kept_in_order() -> None:
    buffer = filled(1)
    assert popped(buffer, 3) == [b"1", None, None]
    for sequence in (2, 3, 4):
        buffer.push(sequence, str(sequence).encode())
    assert popped(buffer, 3) == [b"2", b"3", b"4"]


def test_no_more_than_the_capacity_waits_and_the_oldest_goes_first() -> None:
    buffer = filled(*range(10), capacity=4)
    assert len(buffer) == 4
    assert popped(buffer, 5) == [b"6", b"7", b"8", b"9", None]


def test_a_far_jump_starts_a_new_stream() -> None:
    buffer = filled(1, 2)
    buffer.push(30_000, b"new")
    assert popped(buffer, 2) == [b"new", None]


def test_an_empty_buffer_gives_nothing() -> None:
    assert JitterBuffer().pop() is None
