from contracts.phone_media import Flush, HangUp, SendDtmf, WorkerMessage
from runtime.media.phones.line import MOST_WAITING_FRAMES, OutgoingLine


async def everything(line: OutgoingLine) -> list[bytes | str]:
    line.close()
    taken = []
    while (message := await line.next()) is not None:
        taken.append(message)
    return taken


async def test_frames_that_cannot_leave_are_dropped_oldest_first() -> None:
    line = OutgoingLine()
    for number in range(MOST_WAITING_FRAMES + 3):
        line.send_frame(bytes([number]))
    assert await everything(line) == [bytes([3 + n]) for n in range(MOST_WAITING_FRAMES)]
    assert line.dropped_frames == 3


async def test_a_flush_takes_the_place_of_the_frames_before_it() -> None:
    line = OutgoingLine()
    line.send_frame(b"old")
    line.send(SendDtmf(digits="1"))
    line.send(Flush())
    line.send_frame(b"new")
    first, second, third = await everything(line)
    assert WorkerMessage.model_validate_json(first).body == SendDtmf(digits="1")
    assert WorkerMessage.model_validate_json(second).body == Flush()
    assert third == b"new"


async def test_nothing_is_added_to_a_closed_line_and_what_waits_still_leaves() -> None:
    line = OutgoingLine()
    line.send(HangUp())
    line.close()
    line.send_frame(b"late")
    line.send(Flush())
    (only,) = await everything(line)
    assert WorkerMessage.model_validate_json(only).body == HangUp()
