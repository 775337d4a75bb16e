from hypothesis import given
from hypothesis import strategies as st

from contracts.phone_media import read_frame
from telephony_bridge.media.framing import Framing

FRAME_BYTES = 160


@given(st.lists(st.binary(max_size=700), max_size=20))
def test_sound_of_any_lengths_becomes_whole_frames_in_order(pieces: list[bytes]) -> None:
    framing = Framing(FRAME_BYTES)
    messages = [frame for piece in pieces for frame in framing.frames(piece)]
    frames = [read_frame(message, FRAME_BYTES) for message in messages]
    assert [frame[0].sequence for frame in frames if frame] == list(range(len(messages)))
    sound = b"".join(pieces)
    whole = len(sound) - len(sound) % FRAME_BYTES
    assert b"".join(frame[1] for frame in frames if frame) == sound[:whole]
