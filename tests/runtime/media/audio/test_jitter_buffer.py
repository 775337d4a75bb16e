from runtime.media.audio.jitter_buffer import JitterBuffer, Packet

FRAME = 960


def packet(number: int, samples: int = FRAME) -> Packet:
    return Packet(str(number).encode(), samples)


def filled(*sequences: int, capacity: int = 25) -> JitterBuffer:
    buffer = JitterBuffer(capacity * FRAME)
    for sequence in sequences:
        buffer.push(sequence % 0x10000, packet(sequence))
    return buffer


def popped(buffer: JitterBuffer, frames: int) -> list[bytes | None]:
    return [payload(buffer) for _ in range(frames)]


def payload(buffer: JitterBuffer) -> bytes | None:
    due = buffer.pop(FRAME).packet
    return due and due.payload


def test_packets_come_out_in_order_whatever_order_they_came_in() -> None:
    assert popped(filled(10, 12, 11), 3) == [b"10", b"11", b"12"]


def test_the_order_survives_the_wrap_of_sequence_numbers() -> None:
    buffer = filled(0xFFFE, 0xFFFF)
    buffer.push(1, Packet(b"after", FRAME))
    buffer.push(0, Packet(b"wrap", FRAME))
    assert popped(buffer, 4) == [b"65534", b"65535", b"wrap", b"after"]


def test_a_lost_packet_leaves_exactly_one_hole() -> None:
    assert popped(filled(1, 2, 4, 5), 5) == [b"1", b"2", None, b"4", b"5"]


def test_a_packet_after_its_frame_is_dropped() -> None:
    buffer = filled(1, 3)
    assert popped(buffer, 2) == [b"1", None]
    buffer.push(2, packet(2))
    assert popped(buffer, 2) == [b"3", None]


def test_the_same_packet_twice_is_played_once() -> None:
    assert popped(filled(1, 1, 2), 3) == [b"1", b"2", None]


def test_loss_that_was_already_waited_for_adds_no_delay() -> None:
    buffer = filled(1)
    assert popped(buffer, 4) == [b"1", None, None, None]
    buffer.push(5, packet(5))
    assert payload(buffer) == b"5"


def test_a_late_burst_is_kept_in_order() -> None:
    buffer = filled(1)
    assert popped(buffer, 3) == [b"1", None, None]
    for sequence in (2, 3, 4):
        buffer.push(sequence, packet(sequence))
    assert popped(buffer, 3) == [b"2", b"3", b"4"]


def test_no_more_than_the_capacity_waits_and_the_oldest_goes_first() -> None:
    buffer = filled(*range(10), capacity=4)
    assert len(buffer) == 4
    assert popped(buffer, 5) == [b"6", b"7", b"8", b"9", None]


def test_a_far_jump_starts_a_new_stream() -> None:
    buffer = filled(1, 2)
    buffer.push(30_000, Packet(b"new", FRAME))
    assert popped(buffer, 2) == [b"new", None]


def test_an_empty_buffer_gives_nothing() -> None:
    assert JitterBuffer().pop(FRAME).packet is None


def test_a_lost_packet_names_the_one_after_it_if_that_is_there() -> None:
    buffer = filled(1, 4)
    turns = [buffer.pop(FRAME) for _ in range(4)]
    assert [turn.following for turn in turns] == [None, None, packet(4), None]


def test_a_packet_says_that_lost_ones_before_it_were_stood_in_for() -> None:
    buffer = filled(1)
    assert not buffer.pop(FRAME).skipped
    buffer.pop(FRAME)
    buffer.push(3, packet(3))
    buffer.push(4, packet(4))
    assert [buffer.pop(FRAME).skipped for _ in range(2)] == [True, False]


def test_a_short_packet_needs_no_more_than_its_length_to_be_stood_in_for() -> None:
    buffer = JitterBuffer()
    buffer.push(1, packet(1, 480))
    buffer.pop(FRAME)
    buffer.pop(480)
    buffer.pop(480)
    buffer.push(4, packet(4, 480))
    assert payload(buffer) == b"4"


def test_a_late_packet_says_by_how_much_it_missed_its_turn() -> None:
    buffer = filled(1, 5)
    assert popped(buffer, 4) == [b"1", None, None, None]
    assert buffer.push(2, packet(2)) == 3 * FRAME
    assert buffer.push(2, packet(2)) == 0, "it came twice"
    assert buffer.push(1, packet(1)) == 0, "it was played"


def test_the_length_of_what_waits_is_known() -> None:
    buffer = JitterBuffer()
    buffer.push(1, packet(1, 480))
    buffer.push(2, packet(2, 1_920))
    buffer.push(2, packet(2, 1_920))
    assert buffer.waiting_samples == 2_400
    buffer.pop(FRAME)
    assert buffer.waiting_samples == 1_920
